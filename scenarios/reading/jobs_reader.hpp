#pragma once

#include "io/json/json_reader.hpp"
#include "scenarios/description/scenario_description.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Adds the jobs of the scenario at `place`; the rest of `scenario` must be complete. Each job is read once
/// more, with its own seed and with defaults from the scenario filled in.
/// @throws ScenarioError for a worker that belongs to two jobs or does not exist, a name that appears twice,
/// a number of iterations that is not known in advance, and errors in the files that jobs name.
void read_jobs(Scenario& scenario, const ScenarioDescription& description, const JsonPlace& place);

}  // namespace starling
