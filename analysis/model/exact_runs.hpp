#pragma once

#include <optional>

#include "analysis/results/result.hpp"
#include "analysis/running/run_evaluator.hpp"

namespace starling {

/// Runs whose messages never meet on a link, by their recurrences, which are exact then: of D-PSGD and SGP in
/// which every worker has one neighbor at a time, half a microsecond for each iteration of a worker; of
/// eager-SGD, WAGMA-SGD, decentralized averaging, Horovod and ByteScheduler, a tenth of that for each
/// message, and less for rings. No strands.
class ExactRuns final : public RunEvaluator {
 public:
  bool may_evaluate(const PreparedRun& run, const Routes& routes) const override;
  std::optional<Outcome> evaluate(const PreparedRun& run, const Scenario& scenario,
                                  const Routes& routes) const override;
};

/// simulate() without anybody who looks at it, where whole runs that are exact are evaluated.
Result simulate_evaluated(const Scenario& scenario);

}  // namespace starling
