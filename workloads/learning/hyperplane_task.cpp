#include "workloads/learning/hyperplane_task.hpp"

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "base/errors.hpp"
#include "base/options/option_check.hpp"
#include "base/reject.hpp"
#include "workloads/learning/normal_draw.hpp"
#include "workloads/learning/option_ranges.hpp"

namespace starling {

namespace {

using Eight = Eigen::Array<float, 8, 1>;
using SignTable = std::array<Eight, 256>;

constexpr std::size_t features_per_byte = 8;
constexpr double largest_feature_count = 0x1p35;  // 4 GiB of bits

/// The eight features that each value of a byte stands for; bit j is feature j, set for +1.
const SignTable& sign_table() {
  static const SignTable table = [] {
    SignTable signs;
    for (std::size_t byte = 0; byte < signs.size(); ++byte) {
      for (int j = 0; j < 8; ++j) signs[byte][j] = (byte >> j & 1) != 0 ? 1.0F : -1.0F;
    }
    return signs;
  }();
  return table;
}

/// Σ_k sign_k · weight_k, with eight weights for each byte of signs.
float signed_sum(std::span<const std::uint8_t> signs, const float* weights) {
  const SignTable& table = sign_table();
  Eight sums = Eight::Zero();
  for (std::size_t byte = 0; byte < signs.size(); ++byte)
    sums += table[signs[byte]] * Eigen::Map<const Eight>(weights + byte * features_per_byte);
  return sums.sum();
}

/// sum_k += factor · sign_k.
void add_signed(std::span<const std::uint8_t> signs, float factor, float* sum) {
  const SignTable& table = sign_table();
  for (std::size_t byte = 0; byte < signs.size(); ++byte)
    Eigen::Map<Eight>(sum + byte * features_per_byte) += factor * table[signs[byte]];
}

/// The weights without the bias, padded with zeros to whole bytes of signs.
std::vector<float> padded_weights(std::span<const float> parameters, std::size_t bytes_per_point) {
  std::vector<float> weights(bytes_per_point * features_per_byte);
  std::copy(parameters.begin(), parameters.end() - 1, weights.begin());
  return weights;
}

std::vector<std::uint8_t> random_bytes(const CounterRandom& random, std::size_t points,
                                       std::size_t bytes_per_point) {
  std::vector<std::uint8_t> bytes(points * bytes_per_point);
  for (std::size_t point = 0; point < points; ++point) {
    std::uint64_t word = 0;
    for (std::size_t byte = 0; byte < bytes_per_point; ++byte) {
      if (byte % sizeof word == 0)
        word = random.bits(0, point, static_cast<std::uint32_t>(byte / sizeof word));
      bytes[point * bytes_per_point + byte] = static_cast<std::uint8_t>(word >> (byte % sizeof word * 8));
    }
  }
  return bytes;
}

}  // namespace

void describe(HyperplaneOptions& options, OptionVisitor& visitor) {
  visitor.integer({"features", "number of features of a point"}, options.features, count_range);
  visitor.integer({"points", "total number of points"}, options.points, count_range);
  visitor.integer(
      {"batch_size",
       "points per worker and iteration; by default all workers' batches together are as large as published",
       "2048 / P, rounded up"},
      options.batch_size, count_range);
  visitor.number({"noise_variance", "variance of the noise in the values to be learned"},
                 options.noise_variance, magnitude_range);
  visitor.number({"coefficient_deviation", "standard deviation of the true coefficients"},
                 options.coefficient_deviation, magnitude_range);
}

HyperplaneTask::HyperplaneTask(const HyperplaneOptions& options) : options_(options) {
  check_options(options_.name, [&](OptionVisitor& visitor) { describe(options_, visitor); });
  if (static_cast<double>(options_.features) * options_.points > largest_feature_count) {
    reject("{} points of {} features do not fit in memory; at most 2^35 features in all are accepted",
           options_.points, options_.features);
  }
  const CounterRandom random(options_.seed, Purpose::data);
  const auto points = static_cast<std::size_t>(options_.points);
  bytes_per_point_ =
      (static_cast<std::size_t>(options_.features) + features_per_byte - 1) / features_per_byte;
  signs_ = random_bytes(random, points, bytes_per_point_);
  // The first index separates streams: 0 for the signs, 1 for the hyperplane, 2 for the noise.
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(parameters()); ++k)
    true_parameters_.push_back(
        static_cast<float>(options_.coefficient_deviation * normal_draw(random, 1, k)));
  const std::vector<float> weights = padded_weights(true_parameters_, bytes_per_point_);
  for (std::size_t point = 0; point < points; ++point) {
    const double noise = std::sqrt(options_.noise_variance) * normal_draw(random, 2, point);
    values_.push_back(signed_sum(signs_of(point), weights.data()) + true_parameters_.back() +
                      static_cast<float>(noise));
  }
}

std::vector<float> HyperplaneTask::initial_parameters() const {
  return std::vector<float>(true_parameters_.size());
}

void HyperplaneTask::gradient(int worker, std::int64_t iteration, std::span<const float> parameters,
                              std::span<float> gradients) const {
  STARLING_INVARIANT(parameters.size() == true_parameters_.size());
  STARLING_INVARIANT(gradients.size() == parameters.size());
  const CounterRandom random(options_.seed, Purpose::batch);
  const std::vector<float> weights = padded_weights(parameters, bytes_per_point_);
  std::vector<float> sums(weights.size());
  float bias_sum = 0;
  for (int i = 0; i < options_.batch_size; ++i) {
    const std::size_t point =
        random.below(values_.size(), static_cast<std::uint32_t>(worker),
                     static_cast<std::uint64_t>(iteration), static_cast<std::uint32_t>(i));
    const float error = signed_sum(signs_of(point), weights.data()) + parameters.back() - values_[point];
    const float slope = 2 * error / static_cast<float>(options_.batch_size);
    add_signed(signs_of(point), slope, sums.data());
    bias_sum += slope;
  }
  std::copy_n(sums.begin(), gradients.size() - 1, gradients.begin());
  gradients.back() = bias_sum;
}

double HyperplaneTask::loss(std::span<const float> parameters) const {
  STARLING_INVARIANT(parameters.size() == true_parameters_.size());
  const std::vector<float> weights = padded_weights(parameters, bytes_per_point_);
  double sum = 0;
  for (std::size_t point = 0; point < values_.size(); ++point) {
    const double error = signed_sum(signs_of(point), weights.data()) + parameters.back() - values_[point];
    sum += error * error;
  }
  return sum / static_cast<double>(values_.size());
}

float HyperplaneTask::feature(std::int64_t point, int k) const {
  const std::size_t byte = static_cast<std::size_t>(k) / features_per_byte;
  return sign_table()[signs_of(static_cast<std::size_t>(point))[byte]][k % 8];
}

std::span<const std::uint8_t> HyperplaneTask::signs_of(std::size_t point) const {
  return std::span(signs_).subspan(point * bytes_per_point_, bytes_per_point_);
}

}  // namespace starling
