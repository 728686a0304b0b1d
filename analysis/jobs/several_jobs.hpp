#pragma once

#include "analysis/results/result.hpp"
#include "analysis/running/run_observers.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Simulates the jobs of a scenario: each alone, all at once, and of three and more all but each one. Of n
/// jobs that takes n + 1 runs, or 2n + 1.
///
/// A job's slow-down is its mean iteration time beside all others over the one alone; by whom it is slowed
/// down tells the same beside all others over the one without that other. The latter need not multiply to
/// the former: two that fill a link together slow a third down, which neither would do alone. Counted are
/// all the job's iterations after its warm-up, whoever else is running.
///
/// @throws ScenarioError if an algorithm does not fit its job; DeadlockError, CommunicationError if a run
/// cannot go on.
Result simulate_jobs(const Scenario& scenario, const RunObservers& observers = {});

}  // namespace starling
