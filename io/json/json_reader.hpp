#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/options/range.hpp"

namespace starling {

/// A value of a JSON file and where it stands, so that whoever finds fault with it can say where. The
/// document must outlive it. Every reader throws ScenarioError for a value of another type or out of range.
class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& value, std::string file, std::string pointer = "");

  const nlohmann::json& value() const { return *value_; }
  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }

  /// The value of a key of this object, which must be there.
  JsonPlace inside(std::string_view key) const;

  /// @throws ScenarioError that names this place, the value found, and what would be accepted.
  [[noreturn]] void fail(const std::string& problem, const std::string& expected = "") const;

  std::string text() const;  // not empty
  bool boolean() const;
  std::int64_t integer(IntegerRange range = {}) const;
  double number(Range range = {}) const;
  /// A number in SI units, or a text with a unit.
  double quantity(Dimension dimension, Range range) const;
  double quantity(Dimension dimension) const { return quantity(dimension, usual_range(dimension)); }
  std::vector<JsonPlace> elements(std::size_t least = 0) const;

 private:
  const nlohmann::json* value_;
  std::string file_;
  std::string pointer_;
};

/// The values of an object by key. Rejects unknown keys at once, with the nearest known one, and notes all
/// that is read, with defaults filled in and quantities in SI, as the object's normal form.
class ObjectReader {
 public:
  /// @throws ScenarioError if the value is no object or has a key that is not one of `keys`.
  ObjectReader(JsonPlace place, std::vector<std::string> keys);

  const JsonPlace& place() const { return place_; }
  bool has(const std::string& key) const;
  /// @throws ScenarioError if the key is missing, which says that `expected` is.
  JsonPlace at(const std::string& key, const std::string& expected = "") const;
  std::optional<JsonPlace> find(const std::string& key) const;

  /// Each reads a value and notes it. Without `otherwise` the key must be there.
  std::string text(const std::string& key, std::optional<std::string> otherwise = {});
  bool boolean(const std::string& key, std::optional<bool> otherwise = {});
  std::int64_t integer(const std::string& key, IntegerRange range,
                       std::optional<std::int64_t> otherwise = {});
  int small_integer(const std::string& key, IntegerRange range, std::optional<int> otherwise = {});
  double number(const std::string& key, Range range, std::optional<double> otherwise = {});
  double quantity(const std::string& key, Dimension dimension, std::optional<double> otherwise = {},
                  std::optional<Range> range = {});  // by default the usual one
  /// One of `choices`.
  std::string choice(const std::string& key, const std::vector<std::string>& choices,
                     std::optional<std::string> otherwise = {});

  /// Each reads a value and notes it; nothing if the key is not there.
  std::optional<std::string> optional_text(const std::string& key);
  std::optional<double> optional_number(const std::string& key, Range range);
  std::optional<double> optional_quantity(const std::string& key, Dimension dimension);
  std::optional<int> optional_integer(const std::string& key, IntegerRange range);

  /// Notes a value that was read by other means.
  void note(const std::string& key, nlohmann::ordered_json value);
  const nlohmann::ordered_json& as_read() const { return as_read_; }

 private:
  JsonPlace place_;
  std::vector<std::string> keys_;
  nlohmann::ordered_json as_read_ = nlohmann::ordered_json::object();
};

/// One of `choices`. @throws ScenarioError "unknown `noun`" with the nearest one.
std::string read_choice(const JsonPlace& place, const std::vector<std::string>& choices,
                        std::string_view noun = "value");

/// The "kind" of an object whose other keys depend on it; it may stand under another key. Kinds that a later
/// version will have are told from misspelled ones.
/// @throws ScenarioError if it is missing or none of `kinds`.
std::string read_kind(const JsonPlace& place, std::string_view noun, const std::vector<std::string>& kinds,
                      const std::vector<std::string>& later_kinds = {}, const std::string& key = "kind");

/// A value as it appears in error messages: JSON, shortened if long.
std::string shown(const nlohmann::json& value);

/// "one of "a", "b", "c"".
std::string one_of(const std::vector<std::string>& choices);

}  // namespace starling
