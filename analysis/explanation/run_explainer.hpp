#pragma once

#include <cstdint>

#include "analysis/running/run_observers.hpp"
#include "io/terminal/progress_line.hpp"

namespace starling {

/// Says what waiting is for slow workers and what for communication, and how well the algorithm's graph
/// mixes.
///
/// Where not everyone waits for everyone it takes to know for whom each waits. Options of D-PSGD, SGP and
/// local SGD tell, unless models go in buckets or a step late, by the records of the run; who takes part in
/// the operations of others depends on when they come, so that only a run without communication tells, which
/// the algorithm's model predicts. So it is with DeAR, whose workers wait for each other in the midst of an
/// iteration, too, if some are delayed and others slow. Where there is no model, or communication slows
/// computing down, it is simulated.
class RunExplainer final : public Explainer {
 public:
  explicit RunExplainer(OptionalProgress progress = {}) : progress_(progress) {}

  std::int64_t iterations(const ScenarioJob& job, std::size_t index) const override;
  bool keeps_another_log(const ScenarioJob& job, std::size_t index) const override;
  std::uint64_t explain(const ScenarioJob& job, std::size_t index, IterationLog& log,
                        RunResult& result) override;

 private:
  OptionalProgress progress_;
};

}  // namespace starling
