#pragma once

#include "analysis/results/result.hpp"
#include "analysis/running/run_observers.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Simulates as simulate() does, and explains every run.
Result simulate_and_explain(const Scenario& scenario, RunObservers observers = {});

}  // namespace starling
