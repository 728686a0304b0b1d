#include "io/scenario_error.hpp"

#include <fmt/core.h>

#include <utility>

namespace starling {

namespace {

std::string text_of(const ScenarioError::Description& error) {
  std::string text = error.file;
  if (!error.place.empty()) text += fmt::format(": {}", error.place);
  text += fmt::format(": {}", error.problem);
  if (!error.got.empty()) text += fmt::format(", got {}", error.got);
  if (!error.expected.empty()) text += fmt::format(", expected {}", error.expected);
  return text;
}

}  // namespace

ScenarioError::ScenarioError(Description description)
    : std::runtime_error(text_of(description)), description_(std::move(description)) {}

}  // namespace starling
