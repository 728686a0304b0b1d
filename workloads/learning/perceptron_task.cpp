#include "workloads/learning/perceptron_task.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/errors.hpp"
#include "base/reject.hpp"
#include "sim/random.hpp"

namespace starling {

namespace {

using Layer = PerceptronTask::Layer;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::RowVectorXf;

Eigen::Map<const Matrix> weights_of(const Layer& layer, std::span<const float> parameters) {
  return {parameters.data() + layer.first_weight, layer.outputs, layer.inputs};
}

Eigen::Map<const Row> biases_of(const Layer& layer, std::span<const float> parameters) {
  return {parameters.data() + layer.first_bias(), layer.outputs};
}

/// The features of these points, one point per row.
Matrix gather(const DataSet& data, std::span<const std::int64_t> points) {
  Matrix inputs(static_cast<Eigen::Index>(points.size()), data.features);
  for (std::size_t row = 0; row < points.size(); ++row) {
    inputs.row(static_cast<Eigen::Index>(row)) =
        Eigen::Map<const Row>(data.point(points[row]).data(), data.features);
  }
  return inputs;
}

/// The inputs, followed by the outputs of each layer; those of the last layer are not rectified.
std::vector<Matrix> forward(const std::vector<Layer>& layers, std::span<const float> parameters,
                            Matrix inputs) {
  std::vector<Matrix> activations = {std::move(inputs)};
  for (const Layer& layer : layers) {
    Matrix outputs = activations.back() * weights_of(layer, parameters).transpose();
    outputs.rowwise() += biases_of(layer, parameters);
    if (&layer != &layers.back()) outputs = outputs.cwiseMax(0.0F);
    activations.push_back(std::move(outputs));
  }
  return activations;
}

/// Applies the softmax to each row. Returns the sum over the rows of −ln of the label's probability.
double apply_softmax(Matrix& outputs, const DataSet& data, std::span<const std::int64_t> points) {
  double loss = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto row = outputs.row(static_cast<Eigen::Index>(i));
    row.array() -= row.maxCoeff();
    const float of_label = row(data.labels[static_cast<std::size_t>(points[i])]);
    row = row.array().exp();
    const float sum = row.sum();
    row /= sum;
    loss += std::log(static_cast<double>(sum)) - of_label;
  }
  return loss;
}

/// Calls the body with consecutive chunks of points that fit in a cache.
template <typename Body>
void for_each_chunk(std::int64_t points, Body body) {
  constexpr std::int64_t chunk_size = 512;
  for (std::int64_t begin = 0; begin < points; begin += chunk_size) {
    std::vector<std::int64_t> chunk(static_cast<std::size_t>(std::min(chunk_size, points - begin)));
    std::iota(chunk.begin(), chunk.end(), begin);
    body(chunk);
  }
}

std::vector<Layer> layers_of(const DataSet& data, const std::vector<int>& hidden) {
  std::vector<Layer> layers;
  int inputs = data.features;
  std::int64_t offset = 0;
  const auto add = [&](int outputs) {
    layers.push_back({inputs, outputs, offset});
    inputs = outputs;
    offset = layers.back().end();
  };
  for (const int units : hidden) add(units);
  add(data.classes);
  return layers;
}

void validate_partition(const DataPartition& partition, const DataSet& data) {
  if (partition.empty()) reject("the data set is spread over no worker");
  for (std::size_t worker = 0; worker < partition.size(); ++worker) {
    if (partition[worker].empty()) reject("worker {} has no points", worker);
    for (const std::int64_t point : partition[worker]) {
      if (point < 0 || point >= data.points()) {
        reject("worker {} has point {} of a data set of {}", worker, point, data.points());
      }
    }
  }
}

/// Fixes the cache sizes by which Eigen blocks products, as the order of summation would otherwise depend on
/// the machine.
void fix_product_blocking() { Eigen::setCpuCacheSizes(32 * 1024, 256 * 1024, 2 * 1024 * 1024); }

}  // namespace

void PerceptronOptions::validate() const {
  for (std::size_t layer = 0; layer < hidden.size(); ++layer) {
    if (hidden[layer] < 1) {
      reject("hidden layer {} has {} units; at least 1 is needed", layer, hidden[layer]);
    }
  }
  if (batch_size < 0) {
    reject("the batch size is {}; it must be at least 1, or 0 for all points of a worker", batch_size);
  }
}

PerceptronTask::PerceptronTask(std::shared_ptr<const DataSet> data, DataPartition partition,
                               const PerceptronOptions& options)
    : data_(std::move(data)), partition_(std::move(partition)), options_(options) {
  options_.validate();
  data_->validate();
  validate_partition(partition_, *data_);
  layers_ = layers_of(*data_, options_.hidden);
  fix_product_blocking();
}

std::int64_t PerceptronTask::parameters() const { return layers_.back().end(); }

std::vector<float> PerceptronTask::initial_parameters() const {
  const CounterRandom random(options_.seed, Purpose::initial_parameters);
  std::vector<float> parameters(static_cast<std::size_t>(this->parameters()));
  for (const Layer& layer : layers_) {
    const double bound = 1 / std::sqrt(layer.inputs);
    for (std::int64_t i = layer.first_weight; i < layer.end(); ++i) {
      const double draw = random.uniform(0, static_cast<std::uint64_t>(i));
      parameters[static_cast<std::size_t>(i)] = static_cast<float>(bound * (2 * draw - 1));
    }
  }
  return parameters;
}

std::vector<std::int64_t> PerceptronTask::batch(int worker, std::int64_t iteration) const {
  STARLING_INVARIANT(worker >= 0 && worker < static_cast<int>(partition_.size()));
  const std::vector<std::int64_t>& share = partition_[static_cast<std::size_t>(worker)];
  if (options_.batch_size == 0) return share;
  const CounterRandom random(options_.seed, Purpose::batch);
  std::vector<std::int64_t> points;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(options_.batch_size); ++i) {
    points.push_back(share[random.below(share.size(), static_cast<std::uint32_t>(worker),
                                        static_cast<std::uint64_t>(iteration), i)]);
  }
  return points;
}

void PerceptronTask::gradient(int worker, std::int64_t iteration, std::span<const float> parameters,
                              std::span<float> gradients) const {
  STARLING_INVARIANT(static_cast<std::int64_t>(parameters.size()) == this->parameters());
  STARLING_INVARIANT(gradients.size() == parameters.size());
  const std::vector<std::int64_t> points = batch(worker, iteration);
  const std::vector<Matrix> activations = forward(layers_, parameters, gather(*data_, points));
  // The gradient of the loss with respect to the outputs of the current layer.
  Matrix slopes = activations.back();
  apply_softmax(slopes, *data_, points);
  for (std::size_t i = 0; i < points.size(); ++i)
    slopes(static_cast<Eigen::Index>(i), data_->labels[static_cast<std::size_t>(points[i])]) -= 1;
  slopes /= static_cast<float>(points.size());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    float* const first = gradients.data();
    Eigen::Map<Matrix>(first + layer.first_weight, layer.outputs, layer.inputs).noalias() =
        slopes.transpose() * activations[l];
    Eigen::Map<Row>(first + layer.first_bias(), layer.outputs) = slopes.colwise().sum();
    if (l == 0) break;
    const Matrix passed_on = slopes * weights_of(layer, parameters);
    slopes = (activations[l].array() > 0).select(passed_on, 0.0F);
  }
}

double PerceptronTask::loss(std::span<const float> parameters) const {
  STARLING_INVARIANT(static_cast<std::int64_t>(parameters.size()) == this->parameters());
  double sum = 0;
  for_each_chunk(data_->points(), [&](const std::vector<std::int64_t>& points) {
    Matrix outputs = forward(layers_, parameters, gather(*data_, points)).back();
    sum += apply_softmax(outputs, *data_, points);
  });
  return sum / static_cast<double>(data_->points());
}

double PerceptronTask::gradient_operations() const {
  const double points = options_.batch_size > 0
                            ? options_.batch_size
                            : static_cast<double>(data_->points()) / static_cast<double>(partition_.size());
  return 6 * points * static_cast<double>(parameters());
}

double PerceptronTask::loss_operations() const {
  return 2 * static_cast<double>(data_->points()) * static_cast<double>(parameters());
}

}  // namespace starling
