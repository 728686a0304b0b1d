#pragma once

#include <optional>

#include "analysis/running/run_evaluator.hpp"

namespace starling {

/// Runs of D-PSGD and SGP in which every worker has one neighbor at a time, whose messages never meet on a
/// link: by their recurrences, which are exact then. Half a microsecond for each iteration of a worker, and
/// no strands.
class ExactRuns final : public RunEvaluator {
 public:
  bool may_evaluate(const PreparedRun& run, const Routes& routes) const override;
  std::optional<Outcome> evaluate(const PreparedRun& run, const Scenario& scenario,
                                  const Routes& routes) const override;
};

}  // namespace starling
