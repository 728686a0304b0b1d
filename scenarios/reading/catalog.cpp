#include "scenarios/reading/catalog.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algorithms/training/registry.hpp"
#include "base/options/option_kinds.hpp"
#include "io/data_directory.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"
#include "scenarios/reading/distribution_file.hpp"
#include "scenarios/reading/model_file.hpp"
#include "sim/messages/transport.hpp"
#include "topologies/networks/network_options.hpp"
#include "workloads/compute/compute_times.hpp"
#include "workloads/compute/gpu.hpp"
#include "workloads/learning/task_options.hpp"

namespace starling {
namespace {

std::vector<CatalogEntry> entries_of(const std::vector<Kind>& kinds) {
  std::vector<CatalogEntry> entries;
  for (const Kind& kind : kinds) entries.push_back({kind.name, kind.summary});
  return entries;
}

/// The unit of a batch size, if the model file states it: "image of 3 x 224 x 224", "sentence of 64 tokens";
/// else "sample".
std::string sample_text(const std::filesystem::path& model_file) {
  const nlohmann::json document = parse_json(read_text_file(model_file), model_file.string());
  const nlohmann::json input = document.value("input", nlohmann::json::object());
  const std::string sample = input.value("sample", "sample");
  if (input.contains("shape"))
    return fmt::format("{} of {}", sample, fmt::join(input["shape"].get<std::vector<int>>(), " x "));
  if (input.contains("tokens")) return fmt::format("{} of {} tokens", sample, input["tokens"].get<int>());
  return sample;
}

}  // namespace

std::vector<CatalogEntry> list_models() {
  std::vector<CatalogEntry> entries;
  for (const std::string& name : json_names(model_directory())) {
    const std::filesystem::path file = model_directory() / (name + ".json");
    const Model model = read_model_file(file);
    entries.push_back(
        {name, fmt::format("{:.4g} million parameters in {} tensors, {:.5g} GFLOP forward per {}: {}",
                           static_cast<double>(model.parameters()) / 1e6, model.tensors.size(),
                           model.forward_flops_per_sample / 1e9, sample_text(file), model.source)});
  }
  return entries;
}

std::vector<CatalogEntry> list_profiles() {
  std::vector<CatalogEntry> entries;
  for (const std::string& name : json_names(profile_directory())) {
    const std::filesystem::path file = profile_directory() / (name + ".json");
    const nlohmann::json document = parse_json(read_text_file(file), file.string());
    ObjectReader profile = profile_object(document, file);
    Workload workload;
    workload.model = read_model_file(model_directory() / (profile.text("model") + ".json"));
    workload.batch_size = profile.small_integer("batch_size", {1});
    set_compute_times(workload, read_profile_file(file, workload.model, workload.batch_size));
    entries.push_back(
        {name, fmt::format("{} at batch size {}: forward {}, backward {}, {}", workload.model.name,
                           workload.batch_size, time_text(workload.forward_total_s()),
                           time_text(workload.backward_total_s()), profile.text("source"))});
  }
  return entries;
}

std::vector<CatalogEntry> list_algorithms() {
  std::vector<CatalogEntry> entries;
  for (const RegisteredAlgorithm& algorithm : registered_algorithms())
    entries.push_back({std::string(algorithm.kind()), algorithm.summary});
  return entries;
}

std::vector<CatalogEntry> list_topologies() { return entries_of(kinds_of<NetworkKind>()); }

std::vector<CatalogEntry> list_gpus() {
  std::vector<CatalogEntry> entries;
  for (const Gpu& gpu : gpu_catalog()) {
    std::string rates = fmt::format("fp32 {:.4g}", gpu.fp32_flops_per_s / 1e12);
    if (gpu.tf32_flops_per_s) rates += fmt::format(", tf32 {:.4g}", *gpu.tf32_flops_per_s / 1e12);
    if (gpu.fp16_flops_per_s) rates += fmt::format(", fp16 {:.4g}", *gpu.fp16_flops_per_s / 1e12);
    if (gpu.bf16_flops_per_s) rates += fmt::format(", bf16 {:.4g}", *gpu.bf16_flops_per_s / 1e12);
    entries.push_back({gpu.name, fmt::format("{}: {} TFLOP/s, memory {:.0f} GB/s; {}", gpu.variant, rates,
                                             gpu.memory_bytes_per_s / 1e9, gpu.source)});
  }
  return entries;
}

std::vector<CatalogEntry> list_distributions() {
  std::vector<CatalogEntry> entries;
  for (const std::string& name : json_names(distribution_directory())) {
    const Distribution distribution = read_distribution_file(distribution_directory() / (name + ".json"));
    entries.push_back(
        {name, fmt::format("mean {:.4g} {}, standard deviation {:.4g} {}", distribution.mean(),
                           distribution.unit(), distribution.standard_deviation(), distribution.unit())});
  }
  return entries;
}

std::vector<CatalogEntry> list_tasks() { return entries_of(kinds_of<TaskOptions>()); }

std::vector<CatalogEntry> list_transports() {
  std::vector<CatalogEntry> entries;
  for (const Transport& transport : transports()) entries.push_back({transport.name, transport.summary});
  return entries;
}

}  // namespace starling
