#pragma once

#include "analysis/results/files/trace_json.hpp"
#include "commands/running/run_arguments.hpp"
#include "commands/running/run_output.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

/// Simulates with a progress line; saves each run as soon as it ends. `trace` may be null.
Result simulate_once(const Scenario& scenario, const RunArguments& arguments, RunOutput& output,
                     ProgressLine& progress, TraceJson* trace);

/// The same with arguments.seeds seeds, from the scenario's own on. `document` is that of `first`; its seed
/// is changed.
Result simulate_replications(ScenarioDocument& document, const Scenario& first, const RunArguments& arguments,
                             RunOutput& output, ProgressLine& progress);

}  // namespace starling
