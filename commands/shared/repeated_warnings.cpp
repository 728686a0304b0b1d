#include "commands/shared/repeated_warnings.hpp"

#include <fmt/format.h>

#include "io/terminal/terminal.hpp"

namespace starling {
namespace {

std::string with_conditions(const std::string& warning, const std::string& conditions) {
  return conditions.empty() ? warning : fmt::format("{} (with {})", warning, conditions);
}

}  // namespace

std::function<void(const std::string&)> warning_above(ProgressLine& progress) {
  return [&progress](const std::string& warning) {
    progress.clear();
    warn(warning);
  };
}

void RepeatedWarning::add(const std::string& warning, const std::string& conditions) {
  if (added_++ > 0) return;
  warning_above(progress_)(with_conditions(warning, conditions));
}

void WarningsOnce::add(const std::string& warning, const std::string& conditions) {
  if (printed_.insert(warning).second) warning_above(progress_)(with_conditions(warning, conditions));
}

void RepeatedWarning::end() const {
  if (added_ > 1) warning_above(progress_)(fmt::format("{}: {}", others_, added_ - 1));
}

}  // namespace starling
