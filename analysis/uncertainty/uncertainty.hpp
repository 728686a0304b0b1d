#pragma once

#include <functional>
#include <string>

#include "analysis/results/result.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// How many runs of a scenario estimate how sure its result is.
struct UncertaintyOptions {
  int draws = 20;   // runs with other seeds and draws of the quantities that have an error
  int jitters = 5;  // runs with jittered latencies and computing times
};

/// Runs a scenario so often, and finds for each of its algorithms the interval in which the mean iteration
/// time lies with a probability of 90 %: that in which one more draw would lie (from the p(n+1)-th draw for p
/// = 5 % to that for 95 %; of 20 draws, from between the two least to between the two greatest), widened by
/// the error of the model where it is known (cluster.model_error; independent errors add up as squares of
/// their logarithms).
///
/// Also finds whether the order of simultaneous events decides the mean: whether it moves by more than 1 %,
/// and by more than three of its standard errors, when latencies and computing times are changed by at most a
/// thousandth (ties.hpp).
///
/// Draws have successive seeds, and no learning. A draw that does not fit the rest of the scenario, such as a
/// latency its transport, is drawn again. Runs that are exact without messages are evaluated.
///
/// `result`: the scenario's own; receives the uncertainties. `ran` is called after every run. Returns how
/// many draws did not fit. @throws what simulate() does, and ScenarioError if 100 draws in a row do not fit.
int find_uncertainty(const Scenario& scenario, const UncertaintyOptions& options, Result& result,
                     const std::function<void()>& ran = {});

/// A table of the intervals of all runs, and of the ranges of those that ties decide.
std::string uncertainty_table(const Scenario& scenario, const UncertaintyOptions& options,
                              const Result& result);

}  // namespace starling
