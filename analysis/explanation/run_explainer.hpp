#pragma once

#include <cstdint>

#include "analysis/running/run_observers.hpp"
#include "io/terminal/progress_line.hpp"

namespace starling {

/// Divides waiting into that for slower workers and communication, and notes how well the algorithm's graph
/// mixes.
///
/// Where workers do not all wait for each other, this needs to know for whom each waits. For D-PSGD, SGP and
/// local SGD that follows from the options, unless models go in buckets or a step late, and the records of
/// the run are enough. In other algorithms it depends on when workers come, so that a run without
/// communication is needed, which the algorithm's model predicts. The same holds for DeAR, whose workers wait
/// for each other in the midst of an iteration, too, if some are delayed and others slow. Where there is no
/// model, or communication slows computing down, that run is simulated.
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
