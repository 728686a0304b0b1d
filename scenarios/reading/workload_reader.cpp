#include "scenarios/reading/workload_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "io/input_file.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/imbalance_reader.hpp"
#include "scenarios/reading/model_file.hpp"
#include "workloads/compute/compute_times.hpp"
#include "workloads/compute/gpu.hpp"

namespace starling {

namespace {

constexpr int largest_batch = 1 << 24;
constexpr Precision precisions[] = {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16};

ComputeTimes read_totals(ObjectReader& object) {
  const double forward_s = object.quantity("forward", Dimension::time);
  return TotalTimes{forward_s, object.quantity("backward", Dimension::time)};
}

ComputeTimes read_profile(ObjectReader& object, const Workload& workload) {
  object.text("profile");
  return read_profile_file(input_path(object.at("profile")), workload.model, workload.batch_size);
}

Precision read_precision(ObjectReader& object, const Gpu& gpu) {
  std::vector<std::string> all;
  std::vector<std::string> possible;
  for (const Precision precision : precisions) {
    all.emplace_back(name_of(precision));
    if (gpu.peak_flops_per_s(precision)) possible.emplace_back(name_of(precision));
  }
  const std::string name = object.choice("precision", all, "fp32");
  const auto index = std::find(all.begin(), all.end(), name) - all.begin();
  if (std::find(possible.begin(), possible.end(), name) == possible.end())
    object.at("precision")
        .fail(fmt::format("{} has no units for this precision", gpu.name), one_of(possible));
  return precisions[static_cast<std::size_t>(index)];
}

ComputeTimes read_roofline(ObjectReader& object) {
  std::vector<std::string> gpus;
  for (const Gpu& gpu : gpu_catalog()) gpus.push_back(gpu.name);
  RooflineTimes roofline;
  const std::string gpu = read_choice(object.at("gpu"), gpus, "GPU");
  object.note("gpu", gpu);
  roofline.gpu = *find_gpu(gpu);

  roofline.precision = read_precision(object, roofline.gpu);
  roofline.achieved_fraction = object.number("achieved_fraction", {.least = 1e-6, .greatest = 1});
  roofline.backward_ratio = object.number("backward_ratio", {.least = 0, .greatest = 100}, 2.0);
  return roofline;
}

/// Every key but "kind" belongs to one of three ways of giving compute times, which do not mix.
std::string compute_form(const ObjectReader& object) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> forms = {
      {"forward", {"forward", "backward"}},
      {"profile", {"profile"}},
      {"gpu", {"gpu", "precision", "achieved_fraction", "backward_ratio"}},
  };
  const std::string expected =
      "either \"forward\" and \"backward\", or \"profile\", or \"gpu\" and \"achieved_fraction\"";
  const JsonPlace& place = object.place();
  std::string found;
  for (const auto& [form, keys] : forms) {
    bool is_used = false;
    for (const std::string& key : keys) is_used = is_used || object.has(key);
    if (is_used && !found.empty()) place.fail("mixes ways of giving compute times", expected);
    if (is_used) found = form;
  }
  if (found.empty()) place.fail("gives no compute times", expected);
  return found;
}

struct Compute {
  ComputeKind kind;
  ComputeTimes times;
};

Normalized<Compute> read_compute(const JsonPlace& place, const Workload& workload) {
  ObjectReader object(place, {"kind", "forward", "backward", "profile", "gpu", "precision",
                              "achieved_fraction", "backward_ratio"});
  const bool is_gemm = object.choice("kind", {"emulated", "gemm"}, "emulated") == "gemm";
  const std::string form = compute_form(object);
  ComputeTimes times = form == "forward"   ? read_totals(object)
                       : form == "profile" ? read_profile(object, workload)
                                           : read_roofline(object);
  return {{is_gemm ? ComputeKind::gemm : ComputeKind::emulated, std::move(times)}, object.as_read()};
}

void read_compute_times(ObjectReader& object, WorkloadOptions& options) {
  const Compute compute =
      object.object("compute", [&](const JsonPlace& place) { return read_compute(place, options.workload); });
  options.compute_kind = compute.kind;
  try {
    set_compute_times(options.workload, compute.times);
  } catch (const std::invalid_argument& error) {
    throw ScenarioError({object.place().file(), object.at("compute").pointer(), error.what(), "", ""});
  }
}

/// What remains depends on several values at once; the model itself says what is wrong.
void check_imbalance(const JsonPlace& place, const WorkloadOptions& options, int workers,
                     std::uint64_t seed) {
  try {
    const ImbalanceModel model(options.imbalance, workers, seed, options.workload.compute_total_s());
  } catch (const std::invalid_argument& error) {
    throw ScenarioError({place.file(), place.pointer(), error.what(), "", ""});
  }
}

}  // namespace

Normalized<WorkloadOptions> read_workload(const JsonPlace& place, int workers, std::uint64_t seed) {
  ObjectReader object(place, {"model", "batch_size", "compute", "optimizer_rate", "imbalance"});
  WorkloadOptions options;
  Workload& workload = options.workload;
  object.text("model");
  workload.model = read_model(object.at("model"));
  workload.batch_size = object.small_integer("batch_size", {1, largest_batch});

  read_compute_times(object, options);
  const auto rate = object.optional_quantity("optimizer_rate", Dimension::bandwidth);
  workload.optimizer_s_per_byte = rate ? 1 / *rate : 0;

  if (const auto imbalance = object.find("imbalance")) {
    options.imbalance =
        object.object("imbalance", [&](const JsonPlace& causes) { return read_imbalance(causes, workers); });
    check_imbalance(*imbalance, options, workers, seed);
  }
  return {std::move(options), object.as_read()};
}

}  // namespace starling
