#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

/// How long a run of a study may take.
struct RunLimit {
  double most_s = 0;
  std::string text = {};  // as it was given: "10min"
};

/// What a run that has a limit is made by: this command of this program, in a process of its own.
inline constexpr const char* limited_run_command = "limited-run";

/// Simulates a scenario in a process of its own, by this program's `run`, and returns its result.json:
/// SimGrid can simulate one thing at a time in a process. `name` is the scenario's. @throws
/// std::runtime_error with what the process says if it fails.
nlohmann::json simulate_in_process(const ScenarioDocument& document, const std::string& name);

/// What limited_run_command answers to a task (make_limited_run()); its process is ended where it takes
/// longer than that. @throws std::runtime_error if it does, or with what the process says if it fails.
nlohmann::json answer_within(const nlohmann::json& task, const RunLimit& limit);

}  // namespace starling
