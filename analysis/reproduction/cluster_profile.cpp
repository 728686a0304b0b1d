#include "analysis/reproduction/cluster_profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "analysis/reproduction/inherited_profile.hpp"
#include "io/json/json_text.hpp"
#include "io/json/schema.hpp"
#include "io/options/reader.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/cluster_reader.hpp"
#include "scenarios/reading/imbalance_reader.hpp"
#include "workloads/compute/gpu.hpp"

namespace starling {

using nlohmann::json;

namespace {

constexpr Range positive{.least = 1e-9, .greatest = 1e18};

std::vector<std::string> with_provenance(std::vector<std::string> keys) {
  keys.insert(keys.end(), {"source", "calibrated_on", "notes"});
  return keys;
}

/// Reads where the object's numbers come from, and checks that it says so. Of texts for people only the type
/// is checked.
CalibrationEntries read_provenance(ObjectReader& object) {
  if (!object.has("source") && !object.has("calibrated_on"))
    throw ScenarioError(
        {object.place().file(), object.place().pointer(),
         "names neither the source of its numbers nor the measurements that they were fitted to", "",
         "\"source\": a text, or \"calibrated_on\": a list of published entries' ids"});
  CalibrationEntries entries;
  object.text("source", "");
  if (const auto ids = object.find("calibrated_on"))
    for (const JsonPlace& id : ids->elements(1)) entries.push_back(id.text());
  object.text("notes", "");
  return entries;
}

json object_or_empty(const ObjectReader& object, const std::string& key) {
  const auto place = object.find(key);
  if (!place) return json::object();
  if (!place->value().is_object()) place->fail("wrong type", "an object");
  return place->value();
}

json read_match(const ObjectReader& object) {
  const json match = object_or_empty(object, "match");
  for (const auto& [key, value] : match.items()) {
    if (!value.is_structured() && !value.is_null()) continue;
    const std::string pointer = pointer_to(pointer_to(object.place().pointer(), "match"), key);
    JsonPlace(value, object.place().file(), pointer).fail("wrong type", "a text, a number, or true or false");
  }
  return match;
}

ProfileCompute read_compute(const JsonPlace& place) {
  ObjectReader object(
      place, with_provenance({"match", "model", "batch_size", "forward", "backward", "optimizer_rate",
                              "imbalance", "mean_samples", "samples_per_epoch"}));
  ProfileCompute compute;
  compute.match = read_match(object);
  compute.model = object.text("model");
  compute.batch_size = object.number("batch_size", positive);
  compute.forward_s = object.quantity("forward", Dimension::time);
  compute.backward_s = object.quantity("backward", Dimension::time);
  if (object.optional_quantity("optimizer_rate", Dimension::bandwidth))
    compute.optimizer_rate = object.at("optimizer_rate").value();
  if (const auto imbalance = object.find("imbalance")) {
    read_imbalance(*imbalance, most_workers);  // it may name ranks of the largest cluster
    compute.imbalance = imbalance->value();
  }
  compute.mean_samples = object.optional_number("mean_samples", positive);
  compute.samples_per_epoch = object.optional_number("samples_per_epoch", positive);
  compute.calibrated_on = read_provenance(object);
  return compute;
}

ProfileRoofline read_roofline(const JsonPlace& place) {
  ObjectReader object(place, with_provenance({"gpu", "precision", "achieved_fraction", "backward_ratio"}));
  ProfileRoofline roofline;
  std::vector<std::string> gpus;
  for (const Gpu& gpu : gpu_catalog()) gpus.push_back(gpu.name);
  roofline.compute["gpu"] = read_choice(object.at("gpu", one_of(gpus)), gpus, "GPU");
  object.number("achieved_fraction", {.least = 1e-6, .greatest = 1});
  for (const char* key : {"precision", "achieved_fraction", "backward_ratio"})
    if (const auto value = object.find(key)) roofline.compute[key] = value->value();
  roofline.calibrated_on = read_provenance(object);
  return roofline;
}

ProfileSoftware read_software(const JsonPlace& place) {
  ObjectReader object(place, with_provenance({"match", "algorithm", "cluster", "workload"}));
  ProfileSoftware software;
  object.at("match", "an object; an empty one matches every entry");
  software.match = read_match(object);
  software.algorithm = object_or_empty(object, "algorithm");
  software.cluster = object_or_empty(object, "cluster");
  software.workload = object_or_empty(object, "workload");
  software.calibrated_on = read_provenance(object);
  return software;
}

ProfileParameter read_parameter(const JsonPlace& place, const json& document) {
  ObjectReader object(place, with_provenance({"pointer"}));
  ProfileParameter parameter;
  parameter.pointer = object.text("pointer");
  const bool is_pointer = parameter.pointer.starts_with("/cluster");
  bool is_there = false;
  try {
    is_there = is_pointer && document.contains(json::json_pointer(parameter.pointer));
  } catch (const json::exception&) {  // not a JSON pointer
  }
  if (!is_there)
    object.at("pointer").fail("there is no value at this pointer",
                              "a JSON pointer to a value below /cluster");
  parameter.calibrated_on = read_provenance(object);
  return parameter;
}

bool is_covered(const std::string& pointer, const std::vector<ProfileParameter>& parameters) {
  return std::any_of(parameters.begin(), parameters.end(), [&](const ProfileParameter& parameter) {
    return is_at_or_below(pointer, parameter.pointer);
  });
}

/// Every value of the cluster, except kinds and the name of the transport, must have a parameter that says
/// where it comes from.
void check_sources(const JsonPlace& place, const std::vector<ProfileParameter>& parameters) {
  if (place.value().is_structured() && !is_uncertain(place.value())) {
    for (const auto& [key, value] : place.value().items())
      check_sources(JsonPlace(value, place.file(), pointer_to(place.pointer(), key)), parameters);
    return;
  }
  const bool is_kind = place.pointer().ends_with("/kind") || place.pointer() == "/cluster/transport";
  if (is_kind || is_covered(place.pointer(), parameters)) return;
  place.fail("no entry of \"parameters\" says where this value comes from",
             fmt::format("{{\"pointer\": \"{}\", \"source\": …}} or \"calibrated_on\"", place.pointer()));
}

/// The least number of workers per host for which the cluster's intra-host link and network cards are
/// allowed.
int least_workers_per_host(const json& cluster) {
  constexpr std::int64_t most = 1024;
  const std::int64_t least = cluster.contains("intra_host_link") ? 2 : 1;
  const auto nics = cluster.find("nics_per_host");
  const bool is_count = nics != cluster.end() && nics->is_number_integer();
  return static_cast<int>(is_count ? std::clamp(nics->get<std::int64_t>(), least, most) : least);
}

/// Checks the block with four workers, or with two hosts if these have more.
void check_cluster(json cluster, const std::string& file, const std::string& pointer) {
  const int workers_per_host = least_workers_per_host(cluster);
  cluster["workers"] = std::max(4, 2 * workers_per_host);
  cluster["workers_per_host"] = workers_per_host;
  std::vector<std::string> warnings;
  read_cluster(JsonPlace(cluster, file, pointer), warnings, {.takes_errors = true});
}

void refuse_workers(const JsonPlace& cluster) {
  for (const char* key : {"workers", "workers_per_host"})
    if (cluster.value().contains(key))
      JsonPlace(cluster.value()[key], cluster.file(), pointer_to(cluster.pointer(), key))
          .fail("is not allowed in a profile, as published entries state it", "no such key");
}

void check_clusters(const ObjectReader& object, const ClusterProfile& profile) {
  const std::string file = object.place().file();
  refuse_workers(object.at("cluster"));
  check_cluster(profile.cluster, file, "/cluster");
  check_sources(object.at("cluster"), profile.parameters);
  for (std::size_t i = 0; i < profile.software.size(); ++i) {
    if (profile.software[i].cluster.empty()) continue;
    const std::string pointer = fmt::format("/software/{}/cluster", i);
    refuse_workers(JsonPlace(profile.software[i].cluster, file, pointer));
    json merged = profile.cluster;
    merged.merge_patch(profile.software[i].cluster);
    check_cluster(std::move(merged), file, pointer);
  }
}

template <typename Read>
auto read_all(const ObjectReader& object, const std::string& key, Read read) {
  std::vector<decltype(read(object.place()))> all;
  if (const auto list = object.find(key))
    for (const JsonPlace& element : list->elements()) all.push_back(read(element));
  return all;
}

/// `document`: together with what it inherits.
ClusterProfile profile_from(const json& document, const std::filesystem::path& file) {
  ObjectReader object(JsonPlace(document, file.string()), {"name", "description", "base", "seed", "cluster",
                                                           "compute", "roofline", "software", "parameters"});
  ClusterProfile profile;
  profile.file = file;
  profile.name = object.text("name");
  if (profile.name != file.stem().string())
    object.at("name").fail("differs from the name of the file", fmt::format("\"{}\"", file.stem().string()));
  object.text("description");  // for people, but it must be there
  profile.seed = static_cast<std::uint64_t>(object.integer("seed", {}, 1));
  object.at("cluster", "an object");
  profile.cluster = object_or_empty(object, "cluster");
  profile.compute = read_all(object, "compute", read_compute);
  if (const auto roofline = object.find("roofline")) profile.roofline = read_roofline(*roofline);
  profile.software = read_all(object, "software", read_software);
  profile.parameters =
      read_all(object, "parameters", [&](const JsonPlace& place) { return read_parameter(place, document); });
  check_clusters(object, profile);
  return profile;
}

}  // namespace

ClusterProfile read_cluster_profile(const std::filesystem::path& file) {
  const json own = parse_json(read_text_file(file), file.string());
  // A profile that inherits is merged before its parts are read one by one.
  if (own.is_object() && own.contains("base")) validate_against_schema(own, "cluster_profile", file.string());
  const json document = with_inherited(own, file, [](const auto& base) { read_cluster_profile(base); });
  ClusterProfile profile;
  try {
    profile = profile_from(document, file);
  } catch (const ScenarioError& error) {
    throw naming_source(error, document, own, file);
  }
  validate_against_schema(own, "cluster_profile", file.string());
  return profile;
}

std::vector<std::string> calibration_entries(const ClusterProfile& profile) {
  std::set<std::string> ids;
  const auto add = [&](const auto& items) {
    for (const auto& item : items) ids.insert(item.calibrated_on.begin(), item.calibrated_on.end());
  };
  add(profile.compute);
  add(profile.software);
  add(profile.parameters);
  if (profile.roofline) add(std::vector{*profile.roofline});
  return {ids.begin(), ids.end()};
}

}  // namespace starling
