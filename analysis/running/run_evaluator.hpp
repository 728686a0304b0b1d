#pragma once

#include <optional>

#include "analysis/running/machine.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Computes the outcome of runs without data, without sending their messages.
class RunEvaluator {
 public:
  RunEvaluator() = default;
  RunEvaluator(const RunEvaluator&) = delete;
  RunEvaluator& operator=(const RunEvaluator&) = delete;
  virtual ~RunEvaluator() = default;

  /// Whether the run is of a kind that can be evaluated. O(workers).
  virtual bool may_evaluate(const PreparedRun& run, const Routes& routes) const = 0;
  /// The outcome that the run would have message by message, up to rounding; absent where that is not sure.
  /// Asks for loads as the run does, and for fewer of them if it returns nothing.
  virtual std::optional<Outcome> evaluate(const PreparedRun& run, const Scenario& scenario,
                                          const Routes& routes) const = 0;
};

}  // namespace starling
