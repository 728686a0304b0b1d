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

/// Tensors first … first+count−1 in forward order: a bucket, a layer, or the whole model.
struct TensorRange {
  int first = 0;
  int count = 0;
};

/// Writes the gradient of an iteration's loss at `parameters` into `gradients`; both are flat, with tensors
/// in forward order.
using GradientTask = std::function<void(std::int64_t iteration, std::span<const float> parameters,
                                        std::span<float> gradients)>;

/// One worker's parameters and gradients, which training algorithms average. Both are flat, with tensors in
/// forward order, so a range of tensors is one slice.
///
/// The data is real (floats of a learning task) or sized (element counts only); algorithms treat both alike.
/// Each element of a buffer stands for Workload::bytes_per_element bytes. Nothing here takes simulated time:
/// algorithms account for compute and update times themselves.
class Replica {
 public:
  /// A sized replica of the workload's model.
  explicit Replica(const Workload& workload);

  /// A real replica. Without a `task`, gradients are whatever the caller writes into gradients().
  /// @throws std::invalid_argument unless there are as many initial parameters as the model has, and the
  /// options are valid.
  Replica(const Workload& workload, std::vector<float> initial_parameters, const OptimizerOptions& optimizer,
          GradientTask task = {});

  /// Another sized replica of the same workload, which shares the layout of the tensors. This one must be
  /// sized.
  Replica another() const;

  Replica(Replica&&) = default;
  Replica& operator=(Replica&&) = default;

  bool is_real() const { return is_real_; }
  int tensors() const { return static_cast<int>(offsets_->size()) - 1; }
  TensorRange all() const { return {0, tensors()}; }

  /// The first element of a tensor in the flat buffers; offset(tensors()) is elements().
  std::int64_t offset(int tensor) const;
  std::int64_t elements() const { return offsets_->back(); }
  std::int64_t elements(TensorRange range) const;

  Buffer parameters() { return parameters(all()); }
  Buffer gradients() { return gradients(all()); }
  /// The slice of a range of tensors. @throws InvariantError if the range is not inside the model.
  Buffer parameters(TensorRange range);
  Buffer gradients(TensorRange range);

  /// Computes the gradients of the task at the current parameters. Does nothing if the replica is sized or
  /// has no task.
  void compute_gradients(std::int64_t iteration);

  /// Makes one optimizer step on these tensors with scale · gradients; for plain SGD, parameters −=
  /// learning_rate · scale · gradients. Each tensor counts its own steps. Does nothing if the replica is
  /// sized.
  void update(TensorRange range, double scale = 1.0);

 private:
  Replica() = default;
  Replica(const Workload& workload, std::vector<float> initial_parameters,
          std::unique_ptr<Optimizer> optimizer, GradientTask task);

  Buffer slice(std::vector<float>& data, TensorRange range) const;

  std::shared_ptr<const std::vector<std::int64_t>> offsets_;  // of every tensor, then the number of elements
  double bytes_per_element_ = Buffer::bytes_per_float;
  bool is_real_ = false;
  std::vector<float> parameters_;
  std::vector<float> gradients_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<std::int64_t> steps_;  // optimizer steps of each tensor
  GradientTask task_;
};

}  // namespace starling
