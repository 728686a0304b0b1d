#pragma once

#include <functional>
#include <string>

#include "analysis/results/result.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// How many runs of a scenario show how sure its result is.
struct UncertaintyOptions {
  int draws = 20;   // of its seed, and of the quantities that it gives with an error
  int jitters = 5;  // of its latencies and computing times
};

/// Runs a scenario so often, and says of each of its runs in which interval the mean iteration time is with a
/// probability of 90 %: where one more draw lies with that, of 20 from between the least and the second least
/// to between the two greatest (the p(n+1)-th draw, p 5 % and 95 %), and beyond that by what the model is off
/// where that is known (cluster.model_error; independent errors add up as squares of their logarithms). And
/// whether the order of what happens at the same moment decides it: whether the mean moves by more than
/// 1 %, and by more than three of its standard errors, when latencies and computing times are changed by at
/// most a thousandth (ties.hpp). Draws have one seed after the other, and no learning. Runs that are exact
/// without messages are evaluated.
///
/// A draw that does not fit the rest of the scenario, such as a latency its transport, is drawn again.
///
/// `result` is the scenario's own, and receives what is found. `ran` is called after every run. Returns how
/// many draws did not fit. @throws what simulate() does.
int find_uncertainty(const Scenario& scenario, const UncertaintyOptions& options, Result& result,
                     const std::function<void()>& ran = {});

/// The intervals of all runs, and which of them ties decide.
std::string uncertainty_table(const Scenario& scenario, const UncertaintyOptions& options,
                              const Result& result);

}  // namespace starling
