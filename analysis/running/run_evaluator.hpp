#pragma once

#include <optional>

#include "analysis/running/machine.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Computes what runs without data come to, without sending their messages.
class RunEvaluator {
 public:
  RunEvaluator() = default;
  RunEvaluator(const RunEvaluator&) = delete;
  RunEvaluator& operator=(const RunEvaluator&) = delete;
  virtual ~RunEvaluator() = default;

  /// Whether the run is of a kind that can be evaluated. O(workers).
  virtual bool may_evaluate(const PreparedRun& run, const Routes& routes) const = 0;
  /// What the run would come to message by message, up to rounding; nothing where that is not sure. Asks for
  /// loads as the run does, for fewer of them if there is nothing.
  virtual std::optional<Outcome> evaluate(const PreparedRun& run, const Scenario& scenario,
                                          const Routes& routes) const = 0;
};

}  // namespace starling
