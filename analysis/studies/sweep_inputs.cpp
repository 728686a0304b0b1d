#include "analysis/studies/sweep_inputs.hpp"

#include <exception>

#include "io/scenario_error.hpp"

namespace starling {

SweepInputs::SweepInputs(const std::vector<InputContent>& known) {
  for (const InputContent& input : known) contents_.emplace(input.file, input.hash);
}

std::vector<InputContent> SweepInputs::of(const Scenario& scenario) {
  std::vector<InputContent> inputs = hash_.of_each_file(scenario);
  const std::lock_guard lock(mutex_);
  for (const InputContent& input : inputs)
    if (contents_.emplace(input.file, input.hash).first->second != input.hash)
      throw ScenarioError(
          {input.file, "", "this file has changed since the sweep began", "",
           "its former contents; the same command repeats all runs with the present contents"});
  return inputs;
}

std::optional<std::string> changed_input(const std::vector<InputContent>& inputs) {
  ScenarioHash hash;
  const auto has_changed = [&hash](const InputContent& input) {
    try {
      return hash.of_file(input.file) != input.hash;
    } catch (const std::exception&) {
      return false;  // a run that needs the file reports it
    }
  };
  for (const InputContent& input : inputs)
    if (has_changed(input)) return input.file;
  return std::nullopt;
}

}  // namespace starling
