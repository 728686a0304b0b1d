#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/learning/data_partition.hpp"
#include "workloads/learning/data_set.hpp"
#include "workloads/learning/learning_task.hpp"

namespace starling {

struct PerceptronOptions {
  std::vector<int> hidden = {};  // units of each hidden layer; empty: logistic regression
  int batch_size = 32;           // points per worker and iteration; 0: all points of the worker
  std::uint64_t seed = 1;

  /// @throws std::invalid_argument unless every layer has at least one unit and the batch size is not
  /// negative.
  void validate() const;
};

/// Multinomial logistic regression, or a multi-layer perceptron with rectified linear units, on a data set
/// whose points are divided among the workers. The loss is the mean cross-entropy of the softmax over all
/// points, with natural logarithms.
///
/// A batch is drawn with replacement from the worker's own points, so the mean of the workers' gradients is
/// the gradient of the loss, in expectation, only if all workers have equally many points. Parameters are
/// flat: for each layer its weights, outputs × inputs, then its biases. All start uniform in ±1/√inputs, as
/// in PyTorch. With two classes, logistic regression has a weight vector per class here, and only their
/// difference matters.
///
/// A gradient takes about 6 · batch_size · parameters operations, a loss 2 · points · parameters.
class PerceptronTask : public LearningTask {
 public:
  /// @throws std::invalid_argument if data or options are not valid, or a worker of the partition has no
  /// point, or one that is not in the data set.
  PerceptronTask(std::shared_ptr<const DataSet> data, DataPartition partition,
                 const PerceptronOptions& options);

  std::int64_t parameters() const override;
  std::vector<float> initial_parameters() const override;
  void gradient(int worker, std::int64_t iteration, std::span<const float> parameters,
                std::span<float> gradients) const override;
  double loss(std::span<const float> parameters) const override;
  double gradient_operations() const override;
  double loss_operations() const override;

  /// A fully connected layer, and where its weights, followed by its biases, lie in the flat parameters.
  struct Layer {
    int inputs = 0;
    int outputs = 0;
    std::int64_t first_weight = 0;
    std::int64_t first_bias() const { return first_weight + std::int64_t{inputs} * outputs; }
    std::int64_t end() const { return first_bias() + outputs; }
  };

 private:
  std::vector<std::int64_t> batch(int worker, std::int64_t iteration) const;

  std::shared_ptr<const DataSet> data_;
  DataPartition partition_;
  PerceptronOptions options_;
  std::vector<Layer> layers_;
};

}  // namespace starling
