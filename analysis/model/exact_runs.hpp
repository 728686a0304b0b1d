#pragma once

#include <optional>

#include "analysis/results/result.hpp"
#include "analysis/running/run_evaluator.hpp"

namespace starling {

/// Evaluates whole runs by their recurrences, without strands, where these are exact: no two messages meet on
/// a link. Covers D-PSGD and SGP in which every worker has one neighbor at a time, at half a microsecond per
/// iteration and worker; and eager-SGD, WAGMA-SGD, decentralized Adam, Horovod and ByteScheduler, at a tenth
/// of that per message, and less for rings.
class ExactRuns final : public RunEvaluator {
 public:
  bool may_evaluate(const PreparedRun& run, const Routes& routes) const override;
  std::optional<Outcome> evaluate(const PreparedRun& run, const Scenario& scenario,
                                  const Routes& routes) const override;
};

/// simulate() without observers, in which runs are evaluated by ExactRuns where that is exact.
Result simulate_evaluated(const Scenario& scenario);

}  // namespace starling
