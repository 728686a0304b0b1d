#include "analysis/reproduction/published_scenario.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/reproduction/not_comparable.hpp"
#include "analysis/reproduction/published_algorithm.hpp"
#include "io/json/json_reader.hpp"

namespace starling {

using nlohmann::json;

namespace {

std::optional<double> number_in(const json& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

double amount_in(const json& delay, std::string_view key) {
  const auto amount = number_in(delay, key);
  if (!amount || *amount < 0) throw NotComparable(fmt::format("\"{}\" of the delay is not stated", key));
  return *amount;
}

std::string text_in(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

json random_ranks(const json& delay, int workers) {
  const double delay_s = amount_in(delay, "seconds");
  const double ranks = amount_in(delay, "ranks");
  if (delay.contains("every") && delay.at("every") != "step")
    throw NotComparable(fmt::format("delays every {} are not modeled", shown(delay.at("every"))));
  if (ranks == 1) return json::array({{{"kind", "random_delay"}, {"workers", 1}, {"delay", delay_s}}});
  const double probability = 1 - std::pow(1 - 1.0 / workers, ranks);
  return json::array({{{"kind", "independent_delay"}, {"probability", probability}, {"delay", delay_s}}});
}

/// Delays rank r by first + r · step.
struct Skew {
  double first_s = 0;
  double step_s = 0;
};

Skew skew_of(const json& delay, int workers) {
  Skew skew{.first_s = amount_in(delay, "min_s")};
  const double greatest_s = amount_in(delay, "max_s");
  if (greatest_s < skew.first_s) throw NotComparable("\"max_s\" of the delay is less than \"min_s\"");
  if (workers > 1) skew.step_s = (greatest_s - skew.first_s) / (workers - 1);
  return skew;
}

json skewed_ranks(const json& delay, int workers, bool rotates) {
  const Skew skew = skew_of(delay, workers);
  json causes = json::array({{{"kind", "linear_skew"}, {"step", skew.step_s}, {"rotate", rotates}}});
  if (skew.first_s > 0)
    causes.push_back({{"kind", "independent_delay"}, {"probability", 1}, {"delay", skew.first_s}});
  return causes;
}

int workers_per_host(const PublishedJob& job) {
  const PublishedEntry& entry = job.entry;
  if (!entry.workers_per_node && !entry.nodes)
    throw NotComparable("the entry does not say how many workers share a node");
  const int per_host = entry.workers_per_node.value_or((entry.workers + entry.nodes.value_or(1) - 1) /
                                                       entry.nodes.value_or(1));
  return std::min(per_host, job.workers);
}

int hosts_of(const PublishedJob& job) {
  const int per_host = workers_per_host(job);
  return (job.workers + per_host - 1) / per_host;
}

/// Whether the job, its entry and its algorithm have the values that a profile's `match` asks for.
bool matches(const json& match, const PublishedJob& job) {
  const auto has = [](const json& object, const std::string& key, const json& value) {
    return object.contains(key) && object.at(key) == value;
  };
  return std::all_of(match.items().begin(), match.items().end(), [&](const auto& item) {
    if (item.key() == "workers") return item.value() == job.workers;
    if (item.key() == "hosts") return item.value() == hosts_of(job);
    if (item.key() == "paper")
      return item.value().is_string() &&
             job.entry.paper.find(item.value().template get<std::string>()) != std::string::npos;
    return has(job.algorithm, item.key(), item.value()) || has(job.entry.workload, item.key(), item.value());
  });
}

/// Merges one block of every matching software into `into`.
void apply_software(const PublishedJob& job, json ProfileSoftware::*block, json& into) {
  for (const ProfileSoftware& software : job.profile.software)
    if (matches(software.match, job)) into.merge_patch(software.*block);
}

bool replaces_compute_time(const json& cause) {
  const std::string kind = text_in(cause, "kind");
  return kind == "distribution" || kind == "trace";
}

void append(json& causes, const json& more) {
  if (more.is_array())
    causes.insert(causes.end(), more.begin(), more.end());
  else if (!more.is_null())
    causes.push_back(more);
}

/// Whether the job has the batch that the entry states: only for that may times be drawn from a distribution.
bool has_own_batch(const PublishedJob& job) { return job.batch.samples == batch_of(job.entry).samples; }

json imbalance_of(const PublishedJob& job, const ProfileCompute* compute) {
  json causes = json::array();
  if (job.is_delayed) append(causes, imbalance_of_delay(job.entry.workload, job.workers));
  if (compute != nullptr) append(causes, compute->imbalance);
  const std::string distribution = text_in(job.entry.workload, "distribution");
  if (!distribution.empty() && has_own_batch(job) &&
      std::none_of(causes.begin(), causes.end(), replaces_compute_time))
    causes.push_back({{"kind", "distribution"}, {"name", distribution}});
  return causes;
}

/// The compute times for the entry's model whose `match` fits; of these, those with the most keys in `match`.
std::vector<const ProfileCompute*> computes_of(const PublishedJob& job) {
  const std::string model = text_in(job.entry.workload, "model");
  std::vector<const ProfileCompute*> fitting;
  std::size_t most_keys = 0;
  for (const ProfileCompute& compute : job.profile.compute) {
    if (compute.model != model || !matches(compute.match, job)) continue;
    most_keys = std::max(most_keys, compute.match.size());
    fitting.push_back(&compute);
  }
  std::erase_if(fitting, [&](const ProfileCompute* compute) { return compute->match.size() < most_keys; });
  return fitting;
}

/// The samples of a batch, rounded, as scenarios need them.
std::int64_t whole_samples(double samples) { return std::max<std::int64_t>(1, std::llround(samples)); }

/// The compute times of the job: those at its batch size if they were measured, else a list of those at all
/// batch sizes measured for the same match. A maximum is no batch size: then the nearest times count as those
/// of the mean.
json compute_times_of(const PublishedJob& job, const ProfileCompute& nearest) {
  const auto times = [](const ProfileCompute& compute) {
    return json{{"forward", compute.forward_s}, {"backward", compute.backward_s}};
  };
  if (job.batch.is_maximum || whole_samples(nearest.batch_size) == whole_samples(job.batch.samples))
    return times(nearest);
  std::map<std::int64_t, json> batches;
  for (const ProfileCompute* compute : computes_of(job)) {
    json batch = times(*compute);
    batch["batch_size"] = whole_samples(compute->batch_size);
    batches.emplace(whole_samples(compute->batch_size), std::move(batch));
  }
  json listed = json::array();
  for (const auto& [samples, batch] : batches) listed.push_back(batch);
  return {{"batches", listed}};
}

json workload_of(const PublishedJob& job) {
  const std::string model = text_in(job.entry.workload, "model");
  if (model.empty()) throw NotComparable("the model is not stated");
  const ProfileCompute* compute = compute_of(job);
  json workload{{"model", model}, {"batch_size", whole_samples(job.batch.samples)}};
  if (compute != nullptr) {
    workload["compute"] = compute_times_of(job, *compute);
    if (!compute->optimizer_rate.is_null()) workload["optimizer_rate"] = compute->optimizer_rate;
  } else if (job.profile.roofline) {
    workload["compute"] = job.profile.roofline->compute;
  } else {
    throw NotComparable(fmt::format("no compute time for {} on {}", model, job.profile.name));
  }
  json causes = imbalance_of(job, compute);
  if (!causes.empty()) workload["imbalance"] = std::move(causes);
  apply_software(job, &ProfileSoftware::workload, workload);
  return workload;
}

}  // namespace

PublishedBatch batch_of(const PublishedEntry& entry) {
  struct Key {
    const char* name;
    bool is_global = false;
    bool is_maximum = false;
  };
  constexpr std::array<Key, 6> keys{{{"batch_per_worker"},
                                     {"batch_tokens_per_worker"},
                                     {"experience_steps_per_worker"},
                                     {.name = "global_batch", .is_global = true},
                                     {.name = "global_batch_tokens", .is_global = true},
                                     {.name = "max_batch_tokens_per_worker", .is_maximum = true}}};
  constexpr double largest = 1e7;
  for (const Key& key : keys) {
    const auto stated = number_in(entry.workload, key.name);
    if (!stated) continue;
    const double samples = key.is_global ? *stated / entry.workers : *stated;
    if (samples > 0 && samples <= largest) return {.samples = samples, .is_maximum = key.is_maximum};
    throw NotComparable(fmt::format("\"{}\" of {} is not a batch size", key.name, *stated));
  }
  throw NotComparable("the batch size is not stated");
}

json imbalance_of_delay(const json& workload, int workers) {
  if (!workload.contains("delay") || workload.at("delay").is_null()) return json::array();
  const json& delay = workload.at("delay");
  const std::string kind = text_in(delay, "kind");
  if (kind.empty()) throw NotComparable("the kind of the delay is not stated");
  if (kind == "none") return json::array();
  if (kind == "random_ranks") return random_ranks(delay, workers);
  if (kind == "linear_skew" || kind == "rotating_linear")
    return skewed_ranks(delay, workers, kind == "rotating_linear");
  throw NotComparable(fmt::format("delays of the kind {} are not modeled", kind));
}

const ProfileCompute* compute_of(const PublishedJob& job) {
  const std::vector<const ProfileCompute*> computes = computes_of(job);
  const auto distance = [&](const ProfileCompute* compute) {
    return std::abs(std::log(compute->batch_size / job.batch.samples));
  };
  const auto nearest = std::ranges::min_element(computes, {}, distance);
  return nearest == computes.end() ? nullptr : *nearest;
}

json cluster_of(const PublishedJob& job) {
  json cluster = job.profile.cluster;
  cluster["workers"] = job.workers;
  cluster["workers_per_host"] = workers_per_host(job);
  apply_software(job, &ProfileSoftware::cluster, cluster);
  return cluster;
}

json algorithm_of(const PublishedJob& job) {
  json algorithm = scenario_algorithm(job.algorithm);
  apply_software(job, &ProfileSoftware::algorithm, algorithm);
  return algorithm;
}

json scenario_of(const PublishedJob& job) {
  json scenario{{"seed", job.profile.seed}, {"cluster", cluster_of(job)}, {"workload", workload_of(job)}};
  scenario["algorithms"] = json::array({algorithm_of(job)});
  return scenario;
}

json benchmark_of(const PublishedJob& job) {
  // Initiators are random: with so many operations the mean has an error of 1 %.
  constexpr int operations = 8192;
  const json& workload = job.entry.workload;
  const auto bytes = number_in(workload, "message_bytes");
  if (!bytes || *bytes < 0 || *bytes > 1e12 || *bytes != std::floor(*bytes))
    throw NotComparable("the size of the messages is not stated");
  const auto delay = workload.find("delay");
  const std::string kind = delay == workload.end() ? "none" : text_in(*delay, "kind");
  if (kind != "linear_skew" && kind != "none")
    throw NotComparable("the benchmark of collectives is modeled with a linear skew or without delays");
  const Skew skew = kind == "none" ? Skew{} : skew_of(*delay, job.workers);
  const json algorithm = algorithm_of(job);
  const std::vector<std::string> kinds = {"allreduce", "eager_solo", "eager_majority"};
  const std::string collective = text_in(algorithm, "kind");
  if (std::find(kinds.begin(), kinds.end(), collective) == kinds.end())
    throw NotComparable(fmt::format("the latency of {} is not modeled", collective));
  return {{"benchmark", "collective_latency"},
          {"seed", job.profile.seed},
          {"message_bytes", static_cast<std::int64_t>(*bytes)},
          {"operations", operations},
          {"first_delay", skew.first_s},
          {"delay_step", skew.step_s},
          {"cluster", cluster_of(job)},
          {"algorithm", algorithm}};
}

}  // namespace starling
