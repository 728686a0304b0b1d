#pragma once

#include <filesystem>

#include "analysis/results/files/trace_json.hpp"
#include "commands/running/run_arguments.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Whether the folder has the finished prediction of this scenario by this version of Starling, with the same
/// number of seeds and everything that `arguments` ask for, including a timeline of the part `shown`.
bool is_finished(const Scenario& scenario, const RunArguments& arguments, const TraceSelection& shown);

/// @throws ScenarioError if the folder has a finished result; call it if is_finished() is false.
void refuse_other_result(const std::filesystem::path& folder);

}  // namespace starling
