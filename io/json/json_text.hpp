#pragma once

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/errors.hpp"

namespace starling {

/// Input files beyond this size are rejected.
constexpr std::size_t largest_input_bytes = std::size_t{64} << 20;
/// The limit for files that Starling itself may have written.
constexpr std::size_t largest_result_bytes = std::size_t{1} << 30;

/// Values nested more deeply than this are rejected, so that no walk over a document can exhaust the stack.
constexpr int deepest_nesting = 100;

/// The contents of a text file, without a UTF-8 byte order mark. @throws ScenarioError if it cannot be read,
/// is a directory or is too large.
std::string read_text_file(const std::filesystem::path& file, std::size_t most_bytes = largest_input_bytes);

/// @throws ScenarioError if the text is UTF-16; errors call it `name`.
void refuse_utf_16(std::string_view text, const std::string& name);

/// The name of standard input in errors.
inline constexpr const char* name_of_stdin = "stdin";

/// The contents of standard input, at most largest_result_bytes. @throws ScenarioError as for a file, and if
/// standard input is closed.
std::string read_text_of_stdin();

/// Parses JSON (RFC 8259) in UTF-8, with or without a byte order mark.
///
/// Errors call the text `name`. Stricter than the underlying parser: duplicate keys of an object, nesting
/// beyond `deepest_nesting`, numbers beyond the range of a double, and text after a zero byte are errors.
/// @throws ScenarioError with line and column, or with the JSON pointer of a duplicate key.
nlohmann::json parse_json(std::string_view text, const std::string& name);

/// The value at a JSON pointer; null if there is none.
nlohmann::json value_at(const nlohmann::json& document, const std::string& pointer);

/// A value as text: strings without quotes, null as an empty text, anything else as JSON.
std::string value_text(const nlohmann::json& value);

/// `pointer` extended by one key: "/cluster" and "workers" give "/cluster/workers".
std::string pointer_to(std::string_view pointer, std::string_view key);
std::string pointer_to(std::string_view pointer, std::size_t index);

/// Whether `pointer` refers to the value at `other` or to a part of it: "/cluster/workers" is at or below
/// "/cluster", "/clusters" is not.
bool is_at_or_below(std::string_view pointer, std::string_view other);

/// The value, or null if it is absent.
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// A text, or null where it is empty.
inline nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

/// The number unchanged. @throws InvariantError unless it is finite, as JSON has no other numbers.
inline double finite(double value) {
  STARLING_INVARIANT(std::isfinite(value));
  return value;
}

/// A number, or null for infinity and NaN, which JSON cannot represent.
inline nlohmann::ordered_json finite_or_null(double number) {
  return std::isfinite(number) ? nlohmann::ordered_json(number) : nlohmann::ordered_json(nullptr);
}

}  // namespace starling
