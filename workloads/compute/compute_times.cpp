#include "workloads/compute/compute_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "base/reject.hpp"

namespace starling {

namespace {

void require_total(double total_s, std::string_view pass) {
  if (!std::isfinite(total_s) || total_s < 0) {
    reject("the {} total is {} s; it must be finite and not negative", pass, total_s);
  }
}

bool has_work(const Model& model) {
  return std::ranges::any_of(model.layers,
                             [](const Layer& layer) { return layer.forward_flops_per_sample > 0; });
}

/// Each layer's share of a model's forward operations; equal shares if there are none.
std::vector<double> work_shares(const Model& model) {
  std::vector<double> shares(model.layers.size());
  std::ranges::transform(model.layers, shares.begin(), &Layer::forward_flops_per_sample);
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = total > 0 ? share / total : 1.0 / static_cast<double>(shares.size());
  return shares;
}

std::vector<double> scaled(const std::vector<double>& values, double factor) {
  std::vector<double> products(values.size());
  std::ranges::transform(values, products.begin(), [factor](double value) { return factor * value; });
  return products;
}

std::int64_t parameters_of(const Layer& layer, const Model& model) {
  std::int64_t parameters = 0;
  for (int tensor = layer.first_tensor; tensor < layer.first_tensor + layer.tensors; ++tensor) {
    parameters += model.tensors[static_cast<std::size_t>(tensor)].elements;
  }
  return parameters;
}

/// The arithmetic rate that the model achieves. @throws std::invalid_argument if the options do not determine
/// it.
double attained_flops_per_s(const RooflineTimes& roofline) {
  const std::optional<double> peak = roofline.gpu.peak_flops_per_s(roofline.precision);
  if (!peak) reject("{} has no {} arithmetic", roofline.gpu.name, name_of(roofline.precision));
  if (!roofline.achieved_fraction) {
    reject("the achieved fraction of the peak rate of {} must be given", roofline.gpu.name);
  }
  const double fraction = *roofline.achieved_fraction;
  if (!(fraction > 0 && fraction <= 1)) {
    reject("the achieved fraction is {}; it must be above 0 and at most 1", fraction);
  }
  if (!std::isfinite(roofline.backward_ratio) || roofline.backward_ratio < 0) {
    reject("the backward ratio is {}; it must be finite and not negative", roofline.backward_ratio);
  }
  return *peak * fraction;
}

void set_times(Workload& workload, const MeasuredTimes& times) {
  workload.compute_source = "measured for every layer";
  if (times.scale != 1) workload.compute_source += fmt::format(", multiplied by {}", times.scale);
  workload.forward_s = scaled(times.forward_s, times.scale);
  workload.backward_s = scaled(times.backward_s, times.scale);
}

std::string split_text(const Model& model) {
  return has_work(model) ? "split over the layers by their operations"
                         : "split evenly, as no layer of the model has operations";
}

void set_times(Workload& workload, const TotalTimes& totals) {
  workload.compute_source = "totals as given, " + split_text(workload.model);
  require_total(totals.forward_s, "forward");
  require_total(totals.backward_s, "backward");
  const std::vector<double> shares = work_shares(workload.model);
  workload.forward_s = scaled(shares, totals.forward_s);
  workload.backward_s = scaled(shares, totals.backward_s);
}

void set_times(Workload& workload, const Throughput& measured) {
  const double rate = measured.samples_per_s;
  if (!std::isfinite(rate) || rate <= 0)
    reject("the throughput is {} samples/s; it must be finite and above 0", rate);
  const double iteration_s = workload.batch_size / rate;
  set_times(workload, TotalTimes{iteration_s / 3, iteration_s * 2 / 3});
  workload.compute_source = fmt::format(
      "{:g} samples/s of one worker without communication, at any batch size; forward pass a third of the "
      "time, {}",
      rate, split_text(workload.model));
}

void require_increasing(const MeasuredBatches& measured) {
  const std::vector<BatchTimes>& batches = measured.batches;
  if (batches.empty()) reject("there are no times; those of at least one batch size are needed");
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const int before = i == 0 ? 0 : batches[i - 1].batch_size;
    if (batches[i].batch_size <= before)
      reject("batch size {} comes after {}; they must increase", batches[i].batch_size, before);
    require_total(batches[i].forward_s, "forward");
    require_total(batches[i].backward_s, "backward");
  }
  if (!std::isfinite(measured.launch_s) || measured.launch_s < 0)
    reject("the launch of a kernel takes {} s; it must be finite and not negative", measured.launch_s);
}

/// The two batches between which, or from which, times are inter- or extrapolated; the same one twice if
/// there is only one.
std::pair<const BatchTimes&, const BatchTimes&> nearest(const std::vector<BatchTimes>& batches,
                                                        int batch_size) {
  if (batches.size() == 1) return {batches[0], batches[0]};
  std::size_t upper = 1;
  while (upper + 1 < batches.size() && batches[upper].batch_size < batch_size) ++upper;
  return {batches[upper - 1], batches[upper]};
}

/// The time at another batch size from a single measurement: launches take as long, the rest is proportional
/// to the batch.
double time_from_one(const BatchTimes& measured, double BatchTimes::*time_s, double launches_s,
                     int batch_size) {
  const double fixed_s = std::min(measured.*time_s, launches_s);
  return fixed_s + (measured.*time_s - fixed_s) * batch_size / measured.batch_size;
}

/// The time on the line through both measurements, with the lower bounds of MeasuredBatches beyond its ends.
double time_on_line(const BatchTimes& low, const BatchTimes& high, double BatchTimes::*time_s,
                    double launches_s, int batch_size) {
  const double from_low_s = time_from_one(low, time_s, launches_s, batch_size);
  if (low.batch_size == high.batch_size) return from_low_s;
  const double step = high.batch_size - low.batch_size;
  const double line_s = low.*time_s + (high.*time_s - low.*time_s) * (batch_size - low.batch_size) / step;
  if (batch_size < low.batch_size) return std::max(line_s, from_low_s);
  return batch_size > high.batch_size ? std::max(line_s, high.*time_s) : line_s;
}

std::string law_of(const BatchTimes& low, const BatchTimes& high, double launch_s, int batch_size) {
  if (batch_size == low.batch_size || batch_size == high.batch_size)
    return fmt::format("measured at batch size {}", batch_size);
  if (low.batch_size == high.batch_size)
    return fmt::format("scaled from batch size {}: {}", low.batch_size,
                       launch_s > 0
                           ? "kernel launches take constant time, the rest is proportional to the batch size"
                           : "proportional to the batch size");
  if (batch_size < low.batch_size)
    return fmt::format("extrapolated from batch sizes {} and {}, but at least the time scaled from {} alone",
                       low.batch_size, high.batch_size, low.batch_size);
  if (batch_size > high.batch_size)
    return fmt::format("extrapolated from batch sizes {} and {}, but at least the time measured at {}",
                       low.batch_size, high.batch_size, high.batch_size);
  return fmt::format("interpolated between batch sizes {} and {}", low.batch_size, high.batch_size);
}

/// Why times from a single batch size may be far off; empty if there is no reason. Where launches are most of
/// the measured time, little is left that could grow with the batch; and one batch size cannot tell which
/// other costs do not shrink with it.
std::string compute_warning_of(const BatchTimes& measured, double launches_s, int batch_size) {
  if (2 * batch_size < measured.batch_size)
    return fmt::format(
        "batch size {} is less than half of {}, the only one with measured times: {} as proportional to the "
        "batch size, but real times shrink less (at a quarter of the measured batch size, predictions were "
        "28 to 58 % too fast): give times at a smaller batch size, too",
        batch_size, measured.batch_size,
        launches_s > 0 ? "the time without kernel launches is taken" : "the whole time is taken");
  if (batch_size <= measured.batch_size || launches_s < measured.forward_s / 2) return "";
  return fmt::format(
      "kernel launches would take {:.3g} ms of the {:.3g} ms measured for the forward pass at batch size {}, "
      "and are taken as constant, so the time at batch size {} is very uncertain; give times at several "
      "batch sizes, or \"launch_time\"",
      launches_s * 1e3, measured.forward_s * 1e3, measured.batch_size, batch_size);
}

void set_times(Workload& workload, const MeasuredBatches& measured) {
  require_increasing(measured);
  const auto [low, high] = nearest(measured.batches, workload.batch_size);
  const KernelLaunches launches = kernel_launches(workload.model);
  const auto time_of = [&, low = &low, high = &high](double BatchTimes::*time_s, double count) {
    return time_on_line(*low, *high, time_s, count * measured.launch_s, workload.batch_size);
  };
  set_times(workload, TotalTimes{time_of(&BatchTimes::forward_s, launches.forward),
                                 time_of(&BatchTimes::backward_s, launches.backward)});
  workload.compute_source =
      law_of(low, high, measured.launch_s, workload.batch_size) + ", " + split_text(workload.model);
  if (measured.batches.size() == 1)
    workload.compute_warning =
        compute_warning_of(low, launches.forward * measured.launch_s, workload.batch_size);
}

void set_times(Workload& workload, const RooflineTimes& roofline) {
  if (!has_work(workload.model))
    reject("model {} has no operations, so times on a {} cannot be derived; give times", workload.model.name,
           roofline.gpu.name);
  workload.compute_source = fmt::format("roofline of {}, {} of its {} peak", roofline.gpu.name,
                                        roofline.achieved_fraction.value_or(0), name_of(roofline.precision));
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

KernelLaunches kernel_launches(const Model& model) {
  constexpr double kernels_of_layer = 2;
  const double forward = kernels_of_layer * static_cast<double>(model.layers.size());
  return {.forward = forward, .backward = 2 * forward};
}

void set_compute_times(Workload& workload, const ComputeTimes& times) {
  workload.model.validate();
  std::visit([&workload](const auto& kind) { set_times(workload, kind); }, times);
  workload.validate();
}

}  // namespace starling
