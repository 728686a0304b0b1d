#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/training/shared/training_algorithm.hpp"
#include "sim/activity.hpp"

namespace starling {

/// The iterations of one worker: computes forward, backward and update under the load of the iteration, and
/// accounts for the worker's time.
///
/// Layers that are computed in one call occupy the GPU once, so split passes only where the algorithm has
/// something to do in between. All time that passes outside these calls is counted as blocked.
class Trainer {
 public:
  Trainer(Worker& worker, Replica& replica, const TrainingJob& job);

  /// The load of the iteration that begins next, which may be asked for before begin_iteration().
  const Load& next_load();

  /// Begins the next iteration: determines its load, unless next_load() has done so, and waits out the load's
  /// delay.
  void begin_iteration();

  /// Computes the forward pass from where it stopped last up to, not including, `end_layer`. With gradient
  /// accumulation this is the forward pass of the first micro-batch; when it reaches the last layer, all
  /// further passes of the iteration follow, except for the last backward pass.
  void forward_to(int end_layer);
  void forward() { forward_to(layers_); }

  /// Computes the last backward pass from where it stopped last down to, and including, `first_layer`. The
  /// first call computes all gradients of a real replica.
  void backward_to(int first_layer);
  void backward() { backward_to(0); }

  /// Delays the forward pass by host threads that compete with it; the time is counted as forward time.
  /// Unlike computing, it does not depend on the worker's load.
  void delay_forward(double seconds);

  /// Updates these tensors by their gradients, which hold sums over all workers: scales by 1/P. Takes
  /// Workload::update_s().
  void update(TensorRange tensors);
  /// Updates these tensors by their gradients times `gradient_scale`; 1 for the worker's own gradients.
  void update(TensorRange tensors, double gradient_scale);

  /// Ends the iteration and logs its times.
  void end_iteration();

  std::int64_t iteration() const { return iteration_; }
  Worker& worker() const { return worker_; }
  Replica& replica() const { return replica_; }
  ParticipationNotes participation() const { return job_.participation; }

 private:
  Load load_of(std::int64_t iteration) const;
  void accumulate_gradients();
  double spend(double seconds, Activity activity, LayerRange layers,
               void (Worker::*occupy)(double) = &Worker::compute);

  Worker& worker_;
  Replica& replica_;
  const TrainingJob& job_;
  int layers_;
  std::int64_t iteration_ = -1;
  std::optional<Load> next_load_;
  Load load_;
  int next_forward_ = 0;
  int last_backward_ = 0;  // the lowest layer whose backward pass has been computed
  double previous_end_s_;
  IterationRecord record_;
};

}  // namespace starling
