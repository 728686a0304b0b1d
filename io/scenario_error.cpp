#include "io/scenario_error.hpp"

#include <fmt/core.h>

#include <utility>

#include "io/texts/shown_text.hpp"

namespace starling {

namespace {

// More is shown of the path than of the contents, which others may have written.
constexpr std::size_t longest_file = 4096;
constexpr std::size_t longest_part = 200;

std::string text_of(const ScenarioError::Description& error) {
  std::string text = shortened(error.file, longest_file);
  if (!error.place.empty()) text += fmt::format(": {}", shortened(error.place, longest_part));
  text += fmt::format(": {}", error.problem);
  if (!error.got.empty()) text += fmt::format(", got {}", shortened(error.got, longest_part));
  if (!error.expected.empty()) text += fmt::format(", expected {}", error.expected);
  return text;
}

}  // namespace

ScenarioError::ScenarioError(Description description)
    : std::runtime_error(text_of(description)), description_(std::move(description)) {}

}  // namespace starling
