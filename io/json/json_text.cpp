#include "io/json/json_text.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "base/byte_order_mark.hpp"
#include "base/readable_file.hpp"
#include "base/texts/plain_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {

namespace {

using nlohmann::json;

/// Line and column of a byte, counted from 1; columns count bytes.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", lines + 1, before.size() - line_start + 1);
}

/// Calls `visit` with the index of every character outside strings.
template <typename Visit>
void visit_outside_strings(std::string_view text, const Visit& visit) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      in_string = !in_string;
    else if (!in_string)
      visit(i);
  }
}

/// Rejects documents nested too deeply, without recursion, before the recursive parser runs. Only tells
/// strings from brackets.
void check_nesting(std::string_view text, const std::string& name) {
  int depth = 0;
  visit_outside_strings(text, [&](std::size_t i) {
    if (text[i] == '{' || text[i] == '[') {
      if (++depth > deepest_nesting)
        throw ScenarioError({name, line_and_column(text, i), "nested too deeply", "",
                             fmt::format("at most {} levels", deepest_nesting)});
    } else if (text[i] == '}' || text[i] == ']') {
      --depth;
    }
  });
}

/// Follows the events of the parser and rejects keys that appear twice in an object.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(const std::string& name) : name_(name) {}

  bool see(json::parse_event_t event, const json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start:
        open_.push_back({true, 0, "", {}});
        break;
      case json::parse_event_t::array_start:
        open_.push_back({false, 0, "", {}});
        break;
      case json::parse_event_t::key:
        see_key(parsed.get<std::string>());
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        open_.pop_back();
        next_element();
        break;
      case json::parse_event_t::value:
        next_element();
        break;
    }
    return true;
  }

 private:
  struct Container {
    bool is_object = false;
    std::size_t index = 0;
    std::string key;
    std::set<std::string> keys;
  };

  void see_key(std::string key) {
    Container& object = open_.back();
    object.key = key;
    if (!object.keys.insert(std::move(key)).second)
      throw ScenarioError({name_, pointer(), "this key appears twice", "", "each key once"});
  }

  void next_element() {
    if (!open_.empty() && !open_.back().is_object) ++open_.back().index;
  }

  std::string pointer() const {
    std::string text;
    for (const Container& container : open_)
      text = container.is_object ? pointer_to(text, container.key) : pointer_to(text, container.index);
    return text;
  }

  const std::string& name_;
  std::vector<Container> open_;
};

/// The part of the parser's message after `label`, up to the next semicolon.
std::string part_after(std::string_view message, std::string_view label) {
  const std::size_t found = message.find(label);
  if (found == std::string_view::npos) return "";
  const std::string_view rest = message.substr(found + label.size());
  return std::string(rest.substr(0, rest.find(';')));
}

/// Converts the parser's messages "syntax error while parsing X - unexpected Y; expected Z" and "… - reason;
/// last read: …" to a ScenarioError.
ScenarioError syntax_error(const json::parse_error& error, std::string_view text, const std::string& name) {
  const std::string_view message = error.what();
  const std::string place = line_and_column(text, error.byte > 0 ? error.byte - 1 : 0);
  const std::string unexpected = part_after(message, " - unexpected ");
  const std::string reason = unexpected.empty() ? ": " + part_after(message, " - ") : "";
  return ScenarioError(
      {name, place, "syntax error" + reason, unexpected, part_after(message, "; expected ")});
}

/// The place of the first number written exactly so, which is the one that the parser rejected.
std::string place_of_number(std::string_view text, std::string_view number) {
  constexpr std::string_view characters = "+-.0123456789Ee";
  const auto is_inside = [&](std::size_t i) {
    return i < text.size() && characters.find(text[i]) != std::string_view::npos;
  };
  std::optional<std::size_t> found;
  visit_outside_strings(text, [&](std::size_t i) {
    if (!found && text.substr(i, number.size()) == number && !(i > 0 && is_inside(i - 1)) &&
        !is_inside(i + number.size()))
      found = i;
  });
  return found ? line_and_column(text, *found) : "";
}

ScenarioError number_error(const json::out_of_range& error, std::string_view text, const std::string& name) {
  std::string number = part_after(error.what(), "'");
  if (number.ends_with('\'')) number.pop_back();
  return ScenarioError(
      {name, place_of_number(text, number), "number out of range", number, "a number within ±1.8e308"});
}

std::string read_text(std::istream& stream, const std::filesystem::path& file, std::size_t most_bytes) {
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most_bytes)
      throw ScenarioError(
          {file.string(), "", "is too large", "", fmt::format("at most {} MiB", most_bytes >> 20)});
  }
  if (stream.bad()) throw ScenarioError({file.string(), "", "cannot be read to its end", "", ""});
  text.erase(0, text.size() - without_byte_order_mark(text).size());
  return text;
}

/// Rejects text after a zero byte, at which the parser stops.
void check_end(std::string_view text, const std::string& name) {
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos)
    throw ScenarioError(
        {name, line_and_column(text, zero), "unexpected zero byte", "", "the end of the file"});
}

}  // namespace

std::string read_text_file(const std::filesystem::path& file, std::size_t most_bytes) {
  if (const std::string problem = why_not_readable(file); !problem.empty())
    throw ScenarioError({file.string(), "", problem, "", "a file"});
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw ScenarioError(
        {file.string(), "", fmt::format("cannot be read ({})", std::strerror(errno)), "", ""});
  return read_text(stream, file, most_bytes);
}

void refuse_utf_16(std::string_view text, const std::string& name) {
  if (is_utf_16(text)) throw ScenarioError({name, "", "is UTF-16", "", "UTF-8"});
}

std::string read_text_of_stdin() {
  struct stat about {};
  const auto refuse = [](const char* problem) {
    throw ScenarioError({name_of_stdin, "", problem, "", "a file or a pipe"});
  };
  if (::fstat(STDIN_FILENO, &about) != 0) refuse("is closed");
  if (S_ISDIR(about.st_mode)) refuse("is a directory");
  return read_text(std::cin, name_of_stdin, largest_result_bytes);
}

nlohmann::json parse_json(std::string_view text, const std::string& name) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw ScenarioError({name, "", "is empty", "", "a JSON object"});
  refuse_utf_16(text, name);
  check_nesting(text, name);
  DuplicateKeys duplicates(name);
  try {
    json document = json::parse(
        text, [&](int, json::parse_event_t event, json& parsed) { return duplicates.see(event, parsed); });
    check_end(text, name);
    return document;
  } catch (const json::parse_error& error) {
    throw syntax_error(error, text, name);
  } catch (const json::out_of_range& error) {
    throw number_error(error, text, name);
  }
}

json value_at(const json& document, const std::string& pointer) {
  const json::json_pointer place(pointer);
  return document.contains(place) ? document.at(place) : json();
}

std::string value_text(const json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string pointer_to(std::string_view pointer, std::string_view key) {
  std::string text = fmt::format("{}/", pointer);
  for (const char c : key) {
    if (c == '~')
      text += "~0";
    else if (c == '/')
      text += "~1";
    else if (is_control_byte(c))
      text += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      text += c;
  }
  return text;
}

std::string pointer_to(std::string_view pointer, std::size_t index) {
  return fmt::format("{}/{}", pointer, index);
}

bool is_at_or_below(std::string_view pointer, std::string_view other) {
  return pointer.starts_with(other) && (pointer.size() == other.size() || pointer[other.size()] == '/');
}

}  // namespace starling
