#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

/// The longest wall-clock time that one run of a study may take (`--run-limit`).
struct RunLimit {
  double most_s = 0;
  std::string text = {};  // as the user gave it: "10min"
};

/// The internal command of this program that makes a run with a limit, in a child process.
inline constexpr const char* limited_run_command = "limited-run";

/// Simulates a scenario in a child process, by this program's `run`, and returns its result.json: SimGrid can
/// run only one simulation per process. `name` is the scenario's name in the result. @throws
/// std::runtime_error with the child's error message if it fails.
nlohmann::json simulate_in_process(const ScenarioDocument& document, const std::string& name);

/// Runs limited_run_command on a task in a child process, and returns its answer (make_limited_run()). The
/// child is ended when it exceeds the limit. @throws std::runtime_error if it is, or, if the child fails,
/// with the child's error message.
nlohmann::json answer_within(const nlohmann::json& task, const RunLimit& limit);

}  // namespace starling
