#pragma once

#include <cstdint>

#include "algorithms/training/shared/training_algorithm.hpp"
#include "analysis/running/machine.hpp"
#include "workloads/learning/replica.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// What the modeled workers of a run share.
struct ModeledJob {
  const PreparedRun& run;
  Replica sizes;  // of the model
  IterationLog log;
  /// The latest sums over layers: successive workers ask for the same one.
  LayersTime forward_time = {};
  LayersTime backward_time = {};
};

/// One worker's clock: the counterpart of Trainer, which only adds up times. It has the loads that the worker
/// has on a machine, and whatever time passes between its computing counts as blocked.
class ModeledWorker {
 public:
  /// `job` must outlive the worker.
  ModeledWorker(Rank rank, ModeledJob& job);

  double now_s() const { return now_s_; }

  /// Begins the next iteration: looks up its load and spends its delay.
  void begin_iteration();
  /// Continues the forward pass up to, not including, `end_layer`.
  void forward_to(int end_layer);
  /// Continues the backward pass down to, including, `first_layer`.
  void backward_to(int first_layer);
  /// Host time that prolongs the forward pass.
  void delay_forward(double seconds) { record_.forward_s += compute(seconds); }
  void update(TensorRange tensors);
  /// Spends time that belongs to no part of the iteration, and so counts as blocked.
  void spend(double seconds) { now_s_ += seconds; }
  void wait_until(double time_s);
  void end_iteration();

 private:
  void accumulate_gradients();
  double compute(double seconds);

  Rank rank_;
  ModeledJob* job_;
  int layers_;
  std::int64_t iteration_ = -1;
  Load load_;
  int next_forward_ = 0;
  int last_backward_ = 0;  // the lowest layer whose backward pass is done
  double now_s_ = 0;
  double previous_end_s_ = 0;
  IterationRecord record_;
};

}  // namespace starling
