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

/// Files beyond this size are rejected unread.
constexpr std::size_t largest_input_bytes = std::size_t{64} << 20;
/// Files that Starling itself has written, or may have, are rejected beyond this size.
constexpr std::size_t largest_result_bytes = std::size_t{1} << 30;

/// Values nested more deeply than this are rejected, so that no walk over a document can exhaust the stack.
constexpr int deepest_nesting = 100;

/// The whole of a text file, without a byte order mark of UTF-8. @throws ScenarioError if it cannot be read,
/// is a directory or is too large.
std::string read_text_file(const std::filesystem::path& file, std::size_t most_bytes = largest_input_bytes);

/// @throws ScenarioError if the text is UTF-16; `name` is what errors call it.
void refuse_utf_16(std::string_view text, const std::string& name);

/// What errors call standard input.
inline constexpr const char* name_of_stdin = "stdin";

/// The whole of standard input, of at most `largest_result_bytes`. @throws ScenarioError as for a file, and
/// if it is closed.
std::string read_text_of_stdin();

/// Parses JSON as RFC 8259 has it, UTF-8 with or without a byte order mark.
///
/// `name` is what errors call the text. Stricter than the parser: a key that appears twice in an object,
/// nesting beyond `deepest_nesting`, numbers beyond a double and whatever follows a zero byte are errors.
/// @throws ScenarioError with line and column, or for a key that appears twice its JSON pointer.
nlohmann::json parse_json(std::string_view text, const std::string& name);

/// The value at a JSON pointer; null where there is none.
nlohmann::json value_at(const nlohmann::json& document, const std::string& pointer);

/// A value as a text, which it may be already; empty if it is null.
std::string value_text(const nlohmann::json& value);

/// `pointer` extended by one key: "/cluster" and "workers" give "/cluster/workers".
std::string pointer_to(std::string_view pointer, std::string_view key);
std::string pointer_to(std::string_view pointer, std::size_t index);

/// Whether what the pointer leads to is what another one leads to, or part of it: "/cluster/workers" is at or
/// below "/cluster", and "/clusters" is not.
bool is_at_or_below(std::string_view pointer, std::string_view other);

/// What there is, or null.
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// A text, or null where it is empty.
inline nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

/// The number, as JSON can hold it. @throws InvariantError unless it is finite.
inline double finite(double value) {
  STARLING_INVARIANT(std::isfinite(value));
  return value;
}

/// A number, or null for what JSON has no number for: infinity, and what is no number.
inline nlohmann::ordered_json finite_or_null(double number) {
  return std::isfinite(number) ? nlohmann::ordered_json(number) : nlohmann::ordered_json(nullptr);
}

}  // namespace starling
