#include "scenarios/reading/algorithm_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <utility>

#include "algorithms/collectives/collectives.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/graph_reader.hpp"

namespace starling {

namespace {

constexpr std::size_t longest_label = 80;
constexpr std::size_t most_algorithms = 1000;

const std::vector<std::string>& collectives() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const CollectiveKind kind : collective_kinds()) all.emplace_back(name_of(kind));
    return all;
  }();
  return names;
}

double read_size(ObjectReader& object, const std::string& key, double least, double otherwise) {
  return object.quantity(key, Dimension::size, otherwise, Range{.least = least, .greatest = 1e18});
}

template <typename Options>
TrainingOptions read_plain(ObjectReader&, const AlgorithmContext&) {
  return Options{};
}

TrainingOptions read_ddp(ObjectReader& object, const AlgorithmContext&) {
  DdpOptions options;
  options.bucket_bytes = read_size(object, "bucket_bytes", 1, options.bucket_bytes);
  options.first_bucket_bytes = read_size(object, "first_bucket_bytes", 1, options.first_bucket_bytes);
  return options;
}

TrainingOptions read_horovod(ObjectReader& object, const AlgorithmContext&) {
  HorovodOptions options;
  options.cycle_time_s = object.quantity("cycle_time", Dimension::time, options.cycle_time_s,
                                         Range{.least = 1e-6, .greatest = 1e9});
  options.fusion_bytes = read_size(object, "fusion_bytes", 0, options.fusion_bytes);
  return options;
}

TrainingOptions read_mg_wfbp(ObjectReader& object, const AlgorithmContext&) {
  MgWfbpOptions options;
  options.planned_start_up_s = object.optional_quantity("planned_start_up", Dimension::time);
  options.planned_bandwidth = object.optional_quantity("planned_bandwidth", Dimension::bandwidth);
  if (options.planned_start_up_s.has_value() == options.planned_bandwidth.has_value()) return options;
  const std::string given = options.planned_bandwidth ? "planned_bandwidth" : "planned_start_up";
  object.at(given).fail("stands alone", "\"planned_start_up\" and \"planned_bandwidth\", or neither");
}

TrainingOptions read_bytescheduler(ObjectReader& object, const AlgorithmContext&) {
  ByteSchedulerOptions options;
  options.partition_bytes = read_size(object, "partition_bytes", 1024, options.partition_bytes);
  options.credit_bytes = read_size(object, "credit_bytes", 1, options.credit_bytes);
  options.streams = object.small_integer("streams", {1, 1024}, options.streams);
  return options;
}

TrainingOptions read_dear(ObjectReader& object, const AlgorithmContext&) {
  DearOptions options;
  const auto bucket = object.find("bucket_bytes");
  options.search_bucket_bytes = bucket && bucket->value() == "auto";
  if (options.search_bucket_bytes)
    object.note("bucket_bytes", "auto");
  else if (bucket && bucket->value().is_string() && std::isalpha(bucket->text().front()) != 0)
    bucket->fail("unknown word", fmt::format("{}, or \"auto\"", accepted_form(Dimension::size)));
  else
    options.bucket_bytes = read_size(object, "bucket_bytes", 0, options.bucket_bytes);
  options.prefetch_depth = object.small_integer("prefetch_depth", {1}, options.prefetch_depth);
  options.launch_ahead = object.boolean("launch_ahead", options.launch_ahead);
  options.sync_each_iteration = object.boolean("sync_each_iteration", options.sync_each_iteration);
  return options;
}

void read_operations(ObjectReader& object, double& bucket_bytes, bool& serialized) {
  bucket_bytes = read_size(object, "bucket_bytes", 0, bucket_bytes);
  serialized = object.boolean("serialized", serialized);
}

template <const std::string_view& kind>
TrainingOptions read_eager(ObjectReader& object, const AlgorithmContext&) {
  EagerOptions options{.kind = kind};
  options.limiter = object.integer("limiter", {}, options.limiter);
  const std::string late = object.choice("late_gradients", {"accumulate", "drop"}, "accumulate");
  options.late_gradients = late == "drop" ? LateGradients::drop : LateGradients::accumulate;
  options.model_sync_iterations = object.integer("model_sync_iterations", {}, options.model_sync_iterations);
  read_operations(object, options.bucket_bytes, options.serialized);
  return options;
}

TrainingOptions read_wagma(ObjectReader& object, const AlgorithmContext&) {
  WagmaOptions options;
  const auto group = object.find("group_size");
  if (group && group->value() != "sqrt")
    options.group_size = object.small_integer("group_size", {1, 1 << 20});
  else
    object.note("group_size", "sqrt");
  options.sync_period = object.integer("sync_period", {1}, options.sync_period);
  options.fixed_groups = object.boolean("fixed_groups", options.fixed_groups);
  options.published_code = object.boolean("published_code", options.published_code);
  read_operations(object, options.bucket_bytes, options.serialized);
  return options;
}

TrainingOptions read_local_sgd(ObjectReader& object, const AlgorithmContext&) {
  LocalSgdOptions options;
  options.synchronization_period = object.small_integer("period", {1}, options.synchronization_period);
  options.bucket_bytes = object.optional_quantity("bucket_bytes", Dimension::size);
  return options;
}

ModelBuckets read_model_buckets(ObjectReader& object, bool overlaps) {
  if (overlaps && object.has("bucket_bytes"))
    object.at("bucket_bytes").fail("stands beside overlap", "one of the two");
  return object.optional_quantity("bucket_bytes", Dimension::size);
}

TrainingOptions read_dpsgd(ObjectReader& object, const AlgorithmContext& context) {
  DpsgdOptions options{.mixing = read_mixing(object, context.seed)};
  options.overlap = object.boolean("overlap", options.overlap);
  options.bucket_bytes = read_model_buckets(object, options.overlap);
  return options;
}

TrainingOptions read_adpsgd(ObjectReader& object, const AlgorithmContext& context) {
  AdpsgdOptions options{.seed = context.seed};
  if (object.has("graph")) options.mixing = read_graph(object, context.seed);
  return options;
}

TrainingOptions read_sgp(ObjectReader& object, const AlgorithmContext& context) {
  SgpOptions options;
  options.overlap = object.small_integer("overlap", {0, 1 << 20}, options.overlap);
  options.bucket_bytes = read_model_buckets(object, options.overlap > 0);
  options.per_host = object.boolean("per_host", options.per_host);
  if (options.per_host && options.bucket_bytes)
    object.at("bucket_bytes").fail("stands beside \"per_host\"", "one of the two");
  if (!object.has("graph")) {
    if (object.has("mixing")) object.at("mixing").fail("has no graph", "a \"graph\" beside it");
    options.neighbors = object.small_integer("neighbors", {1, 64}, options.neighbors);
    return options;
  }
  if (object.has("neighbors"))
    object.at("neighbors").fail("stands beside a graph, which has neighbors of its own", "one of the two");
  options.mixing = read_mixing(object, context.seed);
  return options;
}

TrainingOptions read_decentralized_adam(ObjectReader& object, const AlgorithmContext&) {
  DecentralizedAdamOptions options;
  options.graph = object.choice(
      "graph", {"complete", "one_peer_ring", "one_peer_exponential", "alternating_exponential_ring"},
      options.graph);
  options.bucket_bytes = read_size(object, "bucket_bytes", 1, options.bucket_bytes);
  return options;
}

struct KindReader {
  std::string kind;
  std::vector<std::string> collectives;  // the first is the default; none: it uses no collective
  std::vector<std::string> keys;
  TrainingOptions (*read)(ObjectReader& object, const AlgorithmContext& context);
};

std::vector<std::string> starting_with(const std::string& first, std::vector<std::string> names) {
  std::erase(names, first);
  names.insert(names.begin(), first);
  return names;
}

const std::vector<KindReader>& kind_readers() {
  static const std::vector<std::string> eager_keys = {"limiter", "late_gradients", "model_sync_iterations",
                                                      "bucket_bytes", "serialized"};
  static const std::vector<KindReader> readers = {
      {"allreduce", collectives(), {}, read_plain<AllreduceOptions>},
      {"wfbp", collectives(), {}, read_plain<WfbpOptions>},
      {"ddp", collectives(), {"bucket_bytes", "first_bucket_bytes"}, read_ddp},
      {"horovod", collectives(), {"cycle_time", "fusion_bytes"}, read_horovod},
      {"mg_wfbp", collectives(), {"planned_start_up", "planned_bandwidth"}, read_mg_wfbp},
      {"bytescheduler", collectives(), {"partition_bytes", "credit_bytes", "streams"}, read_bytescheduler},
      // A ring falls into the two halves that DeAR needs.
      {"dear",
       {"ring", "auto"},
       {"bucket_bytes", "prefetch_depth", "launch_ahead", "sync_each_iteration"},
       read_dear},
      {"eager_solo", collectives(), eager_keys, read_eager<EagerOptions::solo>},
      {"eager_majority", collectives(), eager_keys, read_eager<EagerOptions::majority>},
      {"wagma",
       starting_with("recursive_doubling", collectives()),
       {"group_size", "sync_period", "fixed_groups", "published_code", "bucket_bytes", "serialized"},
       read_wagma},
      {"local_sgd", collectives(), {"period", "bucket_bytes"}, read_local_sgd},
      {"dpsgd", {}, {"graph", "mixing", "overlap", "bucket_bytes"}, read_dpsgd},
      {"adpsgd", {}, {"graph"}, read_adpsgd},
      {"sgp", {}, {"neighbors", "graph", "mixing", "overlap", "bucket_bytes", "per_host"}, read_sgp},
      {"decentralized_adam", collectives(), {"graph", "bucket_bytes"}, read_decentralized_adam},
  };
  return readers;
}

const KindReader& reader_of(const std::string& kind) {
  const auto& readers = kind_readers();
  return *std::find_if(readers.begin(), readers.end(),
                       [&](const KindReader& candidate) { return candidate.kind == kind; });
}

std::string read_label(const JsonPlace& place) {
  std::string label = place.text();
  const bool has_control =
      std::any_of(label.begin(), label.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (has_control || label.size() > longest_label)
    place.fail("not a label", fmt::format("at most {} bytes on one line", longest_label));
  return label;
}

/// Notes the collective; empty if the kind uses none.
std::string read_collective(ObjectReader& object, const KindReader& reader, const AlgorithmContext& context,
                            std::vector<std::string>& warnings) {
  const auto& possible = reader.collectives;
  if (possible.empty()) {
    if (object.has("collective"))
      warnings.push_back(fmt::format("{}: {}/collective: {} uses no collective, so this has no effect",
                                     object.place().file(), object.place().pointer(), reader.kind));
    return "";
  }
  const std::string collective = object.choice("collective", collectives(), possible.front());
  if (std::find(possible.begin(), possible.end(), collective) == possible.end())
    object.at("collective").fail(fmt::format("{} cannot use this collective", reader.kind), one_of(possible));
  if (collective == "hierarchical" && !context.workers_are_even)
    object.at("collective")
        .fail("needs as many workers on every host",
              "another collective, or \"workers\" a multiple of \"workers_per_host\"");
  return collective;
}

ScenarioAlgorithm read_algorithm(const JsonPlace& place, const std::string& label,
                                 const AlgorithmContext& context, std::vector<std::string>& warnings) {
  const std::string kind = read_kind(place, "algorithm", algorithm_kinds());
  const KindReader& reader = reader_of(kind);
  std::vector<std::string> keys = {"kind", "label", "collective"};
  keys.insert(keys.end(), reader.keys.begin(), reader.keys.end());

  ObjectReader object(place, keys);
  object.note("kind", kind);
  object.note("label", label);
  const std::string collective = read_collective(object, reader, context, warnings);
  TrainingOptions options = reader.read(object, context);
  std::visit(
      [&](auto& chosen) {
        if constexpr (requires { chosen.collective; }) chosen.collective = collective;
      },
      options);
  return {label, std::move(options), object.as_read()};
}

/// The labels that are given, at their places; empty where there is none.
std::vector<std::string> given_labels(const std::vector<JsonPlace>& places) {
  std::vector<std::string> labels;
  std::set<std::string> seen;
  for (const JsonPlace& place : places) {
    labels.emplace_back();
    if (!place.value().is_object() || !place.value().contains("label")) continue;
    const JsonPlace label(place.value().at("label"), place.file(), place.pointer() + "/label");
    labels.back() = read_label(label);
    if (!seen.insert(labels.back()).second) label.fail("this label appears twice", "a label of its own");
  }
  return labels;
}

/// "ddp", or if that is taken "ddp-2", "ddp-3" …
std::string free_label(const std::string& kind, const std::set<std::string>& taken) {
  std::string label = kind;
  for (int number = 2; taken.contains(label); ++number) label = fmt::format("{}-{}", kind, number);
  return label;
}

}  // namespace

const std::vector<std::string>& algorithm_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> names;
    for (const KindReader& reader : kind_readers()) names.push_back(reader.kind);
    return names;
  }();
  return kinds;
}

std::vector<ScenarioAlgorithm> read_algorithms(const JsonPlace& place, const AlgorithmContext& context,
                                               std::vector<std::string>& warnings) {
  if (place.value().size() > most_algorithms)
    place.fail("too many", fmt::format("at most {}", most_algorithms));
  const auto places = place.elements(1);
  const auto labels = given_labels(places);
  std::set<std::string> taken(labels.begin(), labels.end());
  std::vector<ScenarioAlgorithm> algorithms;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string kind = read_kind(places[i], "algorithm", algorithm_kinds());
    const std::string label = labels[i].empty() ? free_label(kind, taken) : labels[i];
    taken.insert(label);
    algorithms.push_back(read_algorithm(places[i], label, context, warnings));
  }
  return algorithms;
}

}  // namespace starling
