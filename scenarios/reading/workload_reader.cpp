#include "scenarios/reading/workload_reader.hpp"

#include "io/scenario_error.hpp"
#include "scenarios/reading/imbalance_reader.hpp"
#include "scenarios/reading/model_file.hpp"
#include "workloads/imbalance/imbalance.hpp"

namespace starling {

namespace {

/// The compute times of the form; reads the profile if it names one.
ComputeTimes times_of(const ComputeForm& form, const Workload& workload, const JsonPlace& place) {
  if (const auto* totals = std::get_if<TotalTimes>(&form)) return *totals;
  if (const auto* rate = std::get_if<Throughput>(&form)) return *rate;
  if (const auto* batches = std::get_if<MeasuredBatches>(&form)) return *batches;
  if (const auto* profile = std::get_if<ProfileOptions>(&form)) {
    MeasuredTimes times = read_profile(place.inside("profile"), workload.model, workload.batch_size);
    times.scale = profile->scale;
    return times;
  }
  return std::get<RooflineTimes>(form);
}

}  // namespace

WorkloadOptions load_workload(const WorkloadDescription& description, const JsonPlace& place, int workers,
                              std::uint64_t seed) {
  WorkloadOptions options;
  options.compute_kind = description.compute.kind;
  options.imbalance = description.imbalance;
  Workload& workload = options.workload;
  workload.model = read_model(place.inside("model"));
  workload.batch_size = description.batch_size;
  workload.accumulation_steps = description.gradient_accumulation_steps;
  workload.bytes_per_element =
      bytes_of(description.gradient_dtype.value_or(default_gradient_dtype(description.compute)));
  workload.optimizer_s_per_byte = description.optimizer_rate_Bps ? 1 / *description.optimizer_rate_Bps : 0;
  workload.communication_slowdown = description.communication_slowdown.value_or(0);
  const JsonPlace compute = place.inside("compute");
  naming_place(place.file(), compute.pointer(),
               [&] { set_compute_times(workload, times_of(description.compute.form, workload, compute)); });
  if (!place.value().contains("imbalance")) return options;
  const JsonPlace imbalance = place.inside("imbalance");
  load_imbalance(options.imbalance, imbalance);
  // The remaining checks depend on several values at once; ImbalanceModel throws what is wrong.
  naming_place(place.file(), imbalance.pointer(),
               [&] { ImbalanceModel(options.imbalance, workers, seed, workload.compute_total_s()); });
  return options;
}

}  // namespace starling
