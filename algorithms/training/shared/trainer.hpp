#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/training/shared/training_algorithm.hpp"
#include "sim/activity.hpp"

namespace starling {

/// One worker at its job: computes forward, backward and update under the load of the iteration, and keeps
/// the account of where its time goes.
///
/// Layers that are computed in one call are one occupation of the GPU, so calls should only be as fine as the
/// algorithm has something to do in between. Whatever time passes outside these calls is blocked time.
class Trainer {
 public:
  Trainer(Worker& worker, Replica& replica, const TrainingJob& job);

  /// The load of the iteration that begins next.
  const Load& next_load();

  /// Draws the load of the next iteration, if next_load() has not, and waits out its delay.
  void begin_iteration();

  /// Forward pass of the layers from where it was up to, not including, `end_layer`. Where gradients of
  /// several passes are accumulated this is the first one, and from its last layer on all further passes
  /// follow but for the last backward pass.
  void forward_to(int end_layer);
  void forward() { forward_to(layers_); }

  /// Last backward pass of the layers from where it was down to, including, `first_layer`. A real replica's
  /// gradients are all there from its first call on.
  void backward_to(int first_layer);
  void backward() { backward_to(0); }

  /// What the program's own threads take of the forward pass, which is booked there. Slow workers take as
  /// long as others.
  void hold_up_forward(double seconds);

  /// Applies the gradients of these tensors, which hold sums over all workers: Workload::update_s().
  void update(TensorRange tensors);
  /// The same with gradients that are this worker's own: 1 applies them as they are.
  void update(TensorRange tensors, double gradient_scale);

  /// Closes the account of the iteration.
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
  int last_backward_ = 0;  // the lowest layer whose backward pass is done
  double previous_end_s_;
  IterationRecord record_;
};

}  // namespace starling
