#pragma once

#include "analysis/results/result.hpp"
#include "analysis/running/run_observers.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Simulates the jobs of a scenario: each alone, all at once, and, with three or more, all but each one. For
/// n jobs this takes n + 1 runs, or 2n + 1.
///
/// A job's slow-down is its mean iteration time with all other jobs, divided by that of running alone. The
/// slow-down by one other job is its mean iteration time with all other jobs, divided by that with all but
/// this one. The product of the latter need not be the former: two jobs that fill a link together slow a
/// third down, which neither would do alone. All iterations of a job after its warm-up count, whichever jobs
/// are running.
///
/// @throws ScenarioError if an algorithm does not fit its job; DeadlockError or CommunicationError if a run
/// cannot continue.
Result simulate_jobs(const Scenario& scenario, const RunObservers& observers = {});

}  // namespace starling
