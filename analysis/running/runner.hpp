#pragma once

#include "analysis/results/result.hpp"
#include "analysis/running/machine.hpp"
#include "analysis/running/run_observers.hpp"
#include "analysis/running/scenario_job.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Runs every algorithm of the job on the machine, one after the other and with the same random draws.
///
/// @throws DeadlockError, CommunicationError if a run cannot go on; ScenarioError if the algorithm cannot be
/// made with a bucket size that is searched for.
Result run_on(Machine& machine, ScenarioJob& job, const RunObservers& observers = {});

/// Simulates every algorithm of the scenario in this process, each on an idle network. @throws what run_on()
/// does, and ScenarioError if an algorithm does not fit the cluster.
Result simulate(const Scenario& scenario, const RunObservers& observers = {});

}  // namespace starling
