#include "scenarios/reading/workload_reader.hpp"

#include <stdexcept>
#include <utility>

#include "io/json_text.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/imbalance_reader.hpp"
#include "scenarios/reading/model_file.hpp"

namespace starling {

namespace {

JsonPlace inside(const JsonPlace& place, const std::string& key) {
  return {place.value().at(key), place.file(), pointer_to(place.pointer(), key)};
}

/// Reads what the form names.
ComputeTimes times_of(const ComputeForm& form, const Workload& workload) {
  if (const auto* totals = std::get_if<TotalTimes>(&form)) return *totals;
  if (const auto* batches = std::get_if<MeasuredBatches>(&form)) return *batches;
  if (const auto* profile = std::get_if<ProfileOptions>(&form))
    return read_profile_file(profile->file, workload.model, workload.batch_size);
  return std::get<RooflineTimes>(form);
}

/// Calls a function whose std::invalid_argument is an error of that place.
template <typename Function>
void check_at(const JsonPlace& place, const Function& function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    throw ScenarioError({place.file(), place.pointer(), error.what(), "", ""});
  }
}

}  // namespace

WorkloadOptions load_workload(const WorkloadDescription& description, const JsonPlace& place, int workers,
                              std::uint64_t seed) {
  WorkloadOptions options;
  options.compute_kind = description.compute.kind;
  options.imbalance = description.imbalance;
  Workload& workload = options.workload;
  workload.model = read_model(inside(place, "model"));
  workload.batch_size = description.batch_size;
  workload.bytes_per_element =
      bytes_of(description.gradient_dtype.value_or(usual_gradient_dtype(description.compute)));
  workload.optimizer_s_per_byte = description.optimizer_rate_Bps ? 1 / *description.optimizer_rate_Bps : 0;
  check_at(inside(place, "compute"),
           [&] { set_compute_times(workload, times_of(description.compute.form, workload)); });
  if (!place.value().contains("imbalance")) return options;
  const JsonPlace imbalance = inside(place, "imbalance");
  load_imbalance(options.imbalance, imbalance);
  // What remains depends on several values at once; the model itself says what is wrong.
  check_at(imbalance, [&] { ImbalanceModel(options.imbalance, workers, seed, workload.compute_total_s()); });
  return options;
}

}  // namespace starling
