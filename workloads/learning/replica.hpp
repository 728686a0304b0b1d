#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sim/buffer.hpp"
#include "workloads/learning/optimizer.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// Tensors first … first+count−1 in forward order: a bucket, a layer, or everything.
struct TensorRange {
  int first = 0;
  int count = 0;
};

/// Writes the gradient of an iteration's loss at `parameters` into `gradients`; both are flat, tensors in
/// forward order.
using GradientTask = std::function<void(std::int64_t iteration, std::span<const float> parameters,
                                        std::span<float> gradients)>;

/// What training averages: one worker's parameters and gradients, flat, tensors in forward order.
///
/// A range of tensors is therefore one slice. The data is real (floats of a learning task) or sized (element
/// counts only); an algorithm treats both alike. Buffers stand for Workload::bytes_per_element bytes an
/// element. Nothing here takes simulated time: algorithms charge compute and update times themselves.
class Replica {
 public:
  /// A sized replica of the workload's model.
  explicit Replica(const Workload& workload);

  /// A real replica. `task` may be empty: the gradients are then whatever their holder writes into
  /// gradients().
  /// @throws std::invalid_argument unless there is one initial parameter per parameter of the model and the
  /// options are valid.
  Replica(const Workload& workload, std::vector<float> initial_parameters, const OptimizerOptions& optimizer,
          GradientTask task = {});

  /// Another sized replica of the same workload, which shares what is known of its tensors. This one must be
  /// sized.
  Replica another() const;

  Replica(Replica&&) = default;
  Replica& operator=(Replica&&) = default;

  bool is_real() const { return is_real_; }
  int tensors() const { return static_cast<int>(offsets_->size()) - 1; }
  TensorRange all() const { return {0, tensors()}; }

  /// Where a tensor begins in the flat buffers; offset(tensors()) is elements().
  std::int64_t offset(int tensor) const;
  std::int64_t elements() const { return offsets_->back(); }
  std::int64_t elements(TensorRange range) const;

  Buffer parameters() { return parameters(all()); }
  Buffer gradients() { return gradients(all()); }
  /// The slice of a range of tensors. @throws InvariantError if the range is not inside the model.
  Buffer parameters(TensorRange range);
  Buffer gradients(TensorRange range);

  /// Runs the task on the current parameters. Nothing if sized or without a task.
  void compute_gradients(std::int64_t iteration);

  /// One step of the optimizer with scale · gradients, for these tensors; with a plain learning rate that is
  /// parameters −= learning_rate · scale · gradients. Each tensor counts its own steps. Nothing if sized.
  void update(TensorRange range, double scale = 1.0);

 private:
  Replica() = default;
  Replica(const Workload& workload, std::vector<float> initial_parameters,
          std::unique_ptr<Optimizer> optimizer, GradientTask task);

  Buffer slice(std::vector<float>& data, TensorRange range) const;

  std::shared_ptr<const std::vector<std::int64_t>> offsets_;  // one per tensor, and the end
  double bytes_per_element_ = Buffer::bytes_per_float;
  bool is_real_ = false;
  std::vector<float> parameters_;
  std::vector<float> gradients_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<std::int64_t> steps_;  // of the optimizer, one count per tensor
  GradientTask task_;
};

}  // namespace starling
