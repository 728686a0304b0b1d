#include "commands/exit_code.hpp"

#include "io/scenario_error.hpp"
#include "io/terminal.hpp"

namespace starling {

ExitCode exit_code_of(const std::exception& error) {
  const bool is_wrong_input = dynamic_cast<const ScenarioError*>(&error) != nullptr ||
                              dynamic_cast<const UsageError*>(&error) != nullptr;
  return is_wrong_input ? wrong_input : run_failed;
}

}  // namespace starling
