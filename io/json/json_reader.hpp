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

/// A value of a JSON document together with its place, for error messages. The document must outlive it. The
/// functions that read the value throw ScenarioError if it has another type or is out of range.
class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& value, std::string file, std::string pointer = "");

  const nlohmann::json& value() const { return *value_; }
  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }

  /// The value of a key of this object; the key must exist.
  JsonPlace inside(std::string_view key) const;

  /// @throws ScenarioError that names this place, the value found, and what would be accepted.
  [[noreturn]] void fail(const std::string& problem, const std::string& expected = "") const;

  std::string text() const;  // not empty
  bool boolean() const;
  std::int64_t integer(IntegerRange range = {}) const;
  double number(Range range = {}) const;
  /// A number in SI units, or a string with a unit.
  double quantity(Dimension dimension, Range range) const;
  double quantity(Dimension dimension) const { return quantity(dimension, default_range(dimension)); }
  std::vector<JsonPlace> elements(std::size_t least = 0) const;

 private:
  const nlohmann::json* value_;
  std::string file_;
  std::string pointer_;
};

/// Reads the values of an object by key. Rejects unknown keys at once and suggests the nearest known one.
/// Notes everything that is read, with defaults filled in and quantities in SI, as the normal form of the
/// object.
class ObjectReader {
 public:
  /// @throws ScenarioError if the value is not an object or has a key that is not among `keys`.
  ObjectReader(JsonPlace place, std::vector<std::string> keys);

  const JsonPlace& place() const { return place_; }
  bool has(const std::string& key) const;
  /// The value of a key. @throws ScenarioError if it is missing; the text names `expected` as what is
  /// accepted.
  JsonPlace at(const std::string& key, const std::string& expected = "") const;
  std::optional<JsonPlace> find(const std::string& key) const;

  /// Each reads a value and notes it. `otherwise` is the default; without it, the key is required.
  std::string text(const std::string& key, std::optional<std::string> otherwise = {});
  bool boolean(const std::string& key, std::optional<bool> otherwise = {});
  std::int64_t integer(const std::string& key, IntegerRange range,
                       std::optional<std::int64_t> otherwise = {});
  int small_integer(const std::string& key, IntegerRange range, std::optional<int> otherwise = {});
  double number(const std::string& key, Range range, std::optional<double> otherwise = {});
  double quantity(const std::string& key, Dimension dimension, std::optional<double> otherwise = {},
                  std::optional<Range> range = {});  // default: default_range()
  /// One of `choices`.
  std::string choice(const std::string& key, const std::vector<std::string>& choices,
                     std::optional<std::string> otherwise = {});

  /// Each reads a value and notes it; nothing if the key is absent.
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

/// The "kind" of an object (or the value of another `key`), on which its other keys depend. `later_kinds`, of
/// later versions, get a message of their own.
/// @throws ScenarioError if it is missing or none of `kinds`.
std::string read_kind(const JsonPlace& place, std::string_view noun, const std::vector<std::string>& kinds,
                      const std::vector<std::string>& later_kinds = {}, const std::string& key = "kind");

/// A value as it appears in error messages: JSON, shortened if long.
std::string shown(const nlohmann::json& value);

/// "one of "a", "b", "c"".
std::string one_of(const std::vector<std::string>& choices);

}  // namespace starling
