#pragma once

#include "analysis/results/result.hpp"
#include "analysis/running/run_observers.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Runs every algorithm of the scenario, one after the other, each on an idle network and with the same
/// random draws.
///
/// @throws DeadlockError, CommunicationError if a run cannot go on; ScenarioError if an algorithm does not
/// fit the cluster.
Result simulate(const Scenario& scenario, const RunObservers& observers = {});

}  // namespace starling
