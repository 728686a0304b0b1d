#pragma once

#include <filesystem>

#include "analysis/results/files/trace_json.hpp"
#include "commands/running/run_arguments.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Whether the folder has the prediction of this very scenario, with as many seeds and all that is asked for,
/// by this version; with a timeline of what is `shown`, if one is asked for.
bool is_finished(const Scenario& scenario, const RunArguments& arguments, const TraceSelection& shown);

/// @throws ScenarioError if a finished result is in the folder, which is not the one to be resumed.
void refuse_other_result(const std::filesystem::path& folder);

}  // namespace starling
