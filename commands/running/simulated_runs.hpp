#pragma once

#include "analysis/results/files/trace_json.hpp"
#include "commands/running/run_arguments.hpp"
#include "commands/running/run_output.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

/// Simulates under a progress line; what is finished is saved at once. The timeline may be absent.
Result simulate_once(const Scenario& scenario, const RunArguments& arguments, RunOutput& output,
                     ProgressLine& progress, TraceJson* trace);

/// Simulates with as many seeds as `arguments` say, counted up from the scenario's own; likewise.
Result simulate_replications(ScenarioDocument& document, const Scenario& first, const RunArguments& arguments,
                             RunOutput& output, ProgressLine& progress);

}  // namespace starling
