#pragma once

#include "io/json/json_reader.hpp"
#include "scenarios/description/scenario_description.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Makes the jobs of the scenario at that place; all else of the scenario is there already. Each job is read
/// once more, with its own seed and with what it takes over filled in.
/// @throws ScenarioError for a worker that two jobs have or the cluster has not, a name that appears twice, a
/// length that is not known before it runs, and files that are not as they should be.
void read_jobs(Scenario& scenario, const ScenarioDescription& description, const JsonPlace& place);

}  // namespace starling
