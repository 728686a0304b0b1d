#include "workloads/compute/compute_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string_view>

namespace starling {

namespace {

[[noreturn]] void reject(const std::string& message) { throw std::invalid_argument(message); }

void require_total(double total_s, std::string_view pass) {
  if (!std::isfinite(total_s) || total_s < 0) {
    reject(fmt::format("the {} total is {} s; it must be finite and not negative", pass, total_s));
  }
}

/// Each layer's share of a model's forward operations; equal shares if there are none.
std::vector<double> work_shares(const Model& model) {
  std::vector<double> shares(model.layers.size());
  std::ranges::transform(model.layers, shares.begin(), &Layer::forward_flops_per_sample);
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = total > 0 ? share / total : 1.0 / static_cast<double>(shares.size());
  return shares;
}

std::vector<double> split(double total_s, const std::vector<double>& shares) {
  std::vector<double> times_s(shares.size());
  std::ranges::transform(shares, times_s.begin(), [total_s](double share) { return total_s * share; });
  return times_s;
}

std::int64_t parameters_of(const Layer& layer, const Model& model) {
  std::int64_t parameters = 0;
  for (int tensor = layer.first_tensor; tensor < layer.first_tensor + layer.tensors; ++tensor) {
    parameters += model.tensors[static_cast<std::size_t>(tensor)].elements;
  }
  return parameters;
}

/// The rate that a model attains. @throws std::invalid_argument if the options do not give one.
double attained_flops_per_s(const RooflineTimes& roofline) {
  const std::optional<double> peak = roofline.gpu.peak_flops_per_s(roofline.precision);
  if (!peak) reject(fmt::format("{} has no {} arithmetic", roofline.gpu.name, name_of(roofline.precision)));
  if (!roofline.achieved_fraction) {
    reject(fmt::format("the achieved fraction of the peak rate of {} must be given", roofline.gpu.name));
  }
  const double fraction = *roofline.achieved_fraction;
  if (!(fraction > 0 && fraction <= 1)) {
    reject(fmt::format("the achieved fraction is {}; it must be above 0 and at most 1", fraction));
  }
  if (!std::isfinite(roofline.backward_ratio) || roofline.backward_ratio < 0) {
    reject(
        fmt::format("the backward ratio is {}; it must be finite and not negative", roofline.backward_ratio));
  }
  return *peak * fraction;
}

void set_times(Workload& workload, const MeasuredTimes& times) {
  workload.forward_s = times.forward_s;
  workload.backward_s = times.backward_s;
}

void set_times(Workload& workload, const TotalTimes& totals) {
  require_total(totals.forward_s, "forward");
  require_total(totals.backward_s, "backward");
  const std::vector<double> shares = work_shares(workload.model);
  workload.forward_s = split(totals.forward_s, shares);
  workload.backward_s = split(totals.backward_s, shares);
}

void set_times(Workload& workload, const RooflineTimes& roofline) {
  const double flops_per_s = attained_flops_per_s(roofline);
  workload.forward_s.clear();
  workload.backward_s.clear();
  for (const Layer& layer : workload.model.layers) {
    const double arithmetic_s = layer.forward_flops_per_sample * workload.batch_size / flops_per_s;
    const double reading_s = static_cast<double>(parameters_of(layer, workload.model)) *
                             bytes_per_parameter(roofline.precision) / roofline.gpu.memory_bytes_per_s;
    workload.forward_s.push_back(std::max(arithmetic_s, reading_s));
    workload.backward_s.push_back(std::max(roofline.backward_ratio * arithmetic_s, 2 * reading_s));
  }
}

}  // namespace

void set_compute_times(Workload& workload, const ComputeTimes& times) {
  workload.model.validate();
  std::visit([&workload](const auto& kind) { set_times(workload, kind); }, times);
  workload.validate();
}

}  // namespace starling
