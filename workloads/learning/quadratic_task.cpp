#include "workloads/learning/quadratic_task.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.hpp"
#include "base/options/option_check.hpp"
#include "base/reject.hpp"
#include "workloads/learning/normal_draw.hpp"
#include "workloads/learning/option_ranges.hpp"

namespace starling {

namespace {

std::vector<float> geometric_curvatures(int dimension, double condition_number) {
  std::vector<float> curvatures(static_cast<std::size_t>(dimension), 1.0F);
  for (int k = 1; k < dimension; ++k) {
    const double exponent = static_cast<double>(k) / (dimension - 1);
    curvatures[static_cast<std::size_t>(k)] = static_cast<float>(std::pow(condition_number, -exponent));
  }
  return curvatures;
}

/// The workers' optima: normal draws, shifted so that each element has mean 0 over the workers.
std::vector<float> centered_optima(const QuadraticOptions& options) {
  const CounterRandom random(options.seed, Purpose::data);
  const auto dimension = static_cast<std::size_t>(options.dimension);
  const auto workers = static_cast<std::size_t>(options.workers);
  std::vector<float> optima(workers * dimension);
  if (options.heterogeneity == 0) return optima;
  std::vector<double> draws(workers);
  for (std::size_t k = 0; k < dimension; ++k) {
    double mean = 0;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      draws[worker] = normal_draw(random, static_cast<std::uint32_t>(worker), k);
      mean += draws[worker] / options.workers;
    }
    for (std::size_t worker = 0; worker < workers; ++worker) {
      optima[worker * dimension + k] = static_cast<float>(options.heterogeneity * (draws[worker] - mean));
    }
  }
  return optima;
}

}  // namespace

void describe(QuadraticOptions& options, OptionVisitor& visitor) {
  visitor.integer(
      {"dimension", "number of parameters of the loss ½ Σ λ_k x_k², for which everything has a closed form"},
      options.dimension, count_range);
  visitor.number({"condition_number",
                  "ratio of the largest curvature λ_k, which is 1, to the smallest; curvatures are a "
                  "geometric sequence"},
                 options.condition_number, {.least = 1, .greatest = 1e12});
  visitor.number({"gradient_noise", "standard deviation of each element of a worker's gradient"},
                 options.gradient_noise, magnitude_range);
  visitor.number(
      {"heterogeneity", "standard deviation of each element of the workers' own optima, whose mean is 0"},
      options.heterogeneity, magnitude_range);
  const double floats = static_cast<double>(options.dimension) * options.workers;
  visitor.require(floats <= most_floats, "",
                  fmt::format("{} workers' optima of {} numbers do not fit in memory", options.workers,
                              options.dimension),
                  fmt::format("at most {:.0f} numbers in all", most_floats));
}

QuadraticTask::QuadraticTask(const QuadraticOptions& options) : options_(options) {
  check_at_least("quadratic: workers", options_.workers, 1);
  check_options(options_.name, [&](OptionVisitor& visitor) { describe(options_, visitor); });
  curvatures_ = geometric_curvatures(options_.dimension, options_.condition_number);
  optima_ = centered_optima(options_);
}

std::vector<float> QuadraticTask::initial_parameters() const {
  const CounterRandom random(options_.seed, Purpose::initial_parameters);
  std::vector<float> parameters(curvatures_.size());
  for (std::size_t k = 0; k < parameters.size(); ++k)
    parameters[k] = static_cast<float>(normal_draw(random, 0, k));
  return parameters;
}

void QuadraticTask::gradient(int worker, std::int64_t iteration, std::span<const float> parameters,
                             std::span<float> gradients) const {
  STARLING_INVARIANT(parameters.size() == curvatures_.size() && gradients.size() == curvatures_.size());
  const std::span<const float> center = optimum(worker);
  for (std::size_t k = 0; k < gradients.size(); ++k)
    gradients[k] = curvatures_[k] * (parameters[k] - center[k]);
  if (options_.gradient_noise == 0) return;
  const CounterRandom random(options_.seed, Purpose::gradient_noise);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    gradients[k] +=
        static_cast<float>(options_.gradient_noise * normal_draw(random, static_cast<std::uint32_t>(worker),
                                                                 static_cast<std::uint64_t>(iteration),
                                                                 static_cast<std::uint32_t>(k)));
  }
}

double QuadraticTask::loss(std::span<const float> parameters) const {
  STARLING_INVARIANT(parameters.size() == curvatures_.size());
  double sum = 0;
  for (std::size_t k = 0; k < curvatures_.size(); ++k) {
    const double x = parameters[k];
    sum += curvatures_[k] * x * x;
  }
  return sum / 2;
}

double QuadraticTask::gradient_operations() const {
  constexpr double of_normal_draw = 1000;
  return (3 + (options_.gradient_noise > 0 ? of_normal_draw : 0)) * options_.dimension;
}

std::span<const float> QuadraticTask::optimum(int worker) const {
  STARLING_INVARIANT(worker >= 0 && worker < options_.workers);
  const std::size_t dimension = curvatures_.size();
  return std::span(optima_).subspan(static_cast<std::size_t>(worker) * dimension, dimension);
}

}  // namespace starling
