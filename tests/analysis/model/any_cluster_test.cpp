#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/exact_runs.hpp"
#include "analysis/model/model_machine.hpp"
#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/analysis/running/log_difference.hpp"
#include "tests/analysis/running/random_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// A random number of workers per host that divides `workers`.
int workers_of_host(RandomChoices& choices, int workers) {
  std::vector<int> possible;
  for (const int per_host : {1, 2, 3, 4, 8})
    if (workers % per_host == 0) possible.push_back(per_host);
  return choices.one_of(possible);
}

json any_network(RandomChoices& choices, int hosts, const std::string& latency) {
  json network = choices.one_of<json>(
      {{{"kind", "star"}},
       {{"kind", "complete"}},
       {{"kind", "ring"}},
       {{"kind", "line"}},
       {{"kind", "rail"}},
       {{"kind", "torus"}, {"dimensions", json::array({hosts})}},
       {{"kind", "leaf_spine"}, {"hosts_per_leaf", 2}, {"spines", 1}, {"oversubscription", 2}}});
  network["link"] = {{"bandwidth", choices.one_of<std::string>({"1Gbps", "10Gbps", "100Gbps"})},
                     {"latency", latency}};
  return network;
}

json any_cluster(RandomChoices& choices) {
  const int workers = choices.one_of<int>({2, 3, 4, 6, 8, 8, 12, 16});
  const int per_host = workers_of_host(choices, workers);
  const auto latency = choices.one_of<std::string>({"0.5us", "5us", "12us"});
  json cluster = {
      {"workers", workers},
      {"workers_per_host", per_host},
      {"network", any_network(choices, workers / per_host, latency)},
      {"transport", choices.one_of<std::string>({"ideal", "nccl_ib", "nccl_tcp", "mpi_ib", "mpi_tcp"})}};
  if (per_host > 1)
    cluster["intra_host_link"] = {{"bandwidth", choices.one_of<std::string>({"1GBps", "50GBps"})},
                                  {"latency", "1us"}};
  if (cluster["network"]["kind"] == "rail") cluster["nics_per_host"] = per_host;
  if (choices.below(3) == 0) cluster["reduction_rate"] = "10GBps";
  if (choices.below(5) == 0) cluster["message_overhead"] = "5us";
  return cluster;
}

json any_workload(RandomChoices& choices, int workers) {
  json workload = {
      {"model", choices.one_of<std::string>({"resnet32_cifar10", "resnet50", "vgg16"})},
      {"batch_size", 32},
      {"compute", {{"forward", "3ms"}, {"backward", choices.one_of<std::string>({"7ms", "61ms"})}}}};
  const json imbalance = choices.one_of<json>(
      {json(),
       {{"kind", "slow_workers"}, {"workers", json::array({choices.below(workers)})}, {"factor", 1.3}},
       {{"kind", "gamma"}, {"coefficient_of_variation", choices.one_of<double>({0.01, 0.1, 0.5})}},
       {{"kind", "random_delay"}, {"workers", 1}, {"delay", "50ms"}}});
  if (!imbalance.is_null()) workload["imbalance"] = imbalance;
  return workload;
}

/// A random algorithm that may be evaluated, with random buckets and collectives.
json any_algorithm(RandomChoices& choices) {
  json algorithm = choices.one_of<json>({{{"kind", "allreduce"}},
                                         {{"kind", "ddp"}},
                                         {{"kind", "dear"}},
                                         {{"kind", "mg_wfbp"}},
                                         {{"kind", "horovod"}},
                                         {{"kind", "bytescheduler"}, {"partition_bytes", "4MB"}},
                                         {{"kind", "local_sgd"}, {"period", 2}},
                                         {{"kind", "dpsgd"}},
                                         {{"kind", "dpsgd"}, {"graph", {{"kind", "one_peer_exponential"}}}},
                                         {{"kind", "sgp"}},
                                         {{"kind", "sgp"}, {"overlap", 1}},
                                         {{"kind", "sgp"}, {"per_host", true}},
                                         {{"kind", "sgp"}, {"per_host", true}, {"overlap", 1}},
                                         {{"kind", "wagma"}},
                                         {{"kind", "wagma"}, {"serialized", false}},
                                         {{"kind", "eager_solo"}},
                                         {{"kind", "eager_majority"}, {"serialized", false}},
                                         {{"kind", "decentralized_adam"}},
                                         {{"kind", "decentralized_adam"}, {"graph", "one_peer_ring"}}});
  const auto is_one_of = [&](const std::vector<std::string>& kinds) {
    return std::ranges::find(kinds, algorithm["kind"].get<std::string>()) != kinds.end();
  };
  if (is_one_of({"ddp", "dear", "wagma", "eager_solo", "decentralized_adam"}) && choices.flip())
    algorithm["bucket_bytes"] = choices.one_of<std::string>({"1MB", "8MB"});
  if (is_one_of({"allreduce", "ddp", "local_sgd"}) && choices.flip())
    algorithm["collective"] =
        choices.one_of<std::string>({"recursive_doubling", "halving_doubling", "double_tree"});
  return algorithm;
}

/// Adds gradient accumulation to a fifth of the scenarios, and to three tenths an effect that the model
/// leaves out.
void add_rare_options(RandomChoices& choices, json& document) {
  if (choices.below(5) == 0)
    document["workload"]["gradient_accumulation_steps"] = choices.one_of<int>({2, 3, 8});
  switch (choices.below(10)) {
    case 0:
      document["cluster"]["wake_up"] = choices.one_of<std::string>({"20us", "1ms"});
      break;
    case 1:
      document["workload"]["communication_slowdown"] = choices.one_of<double>({0.1, 1});
      break;
    case 2:
      if (document["engine"] == "fair")
        document["fair"] =
            choices.flip()
                ? json::object({{"window", choices.one_of<std::string>({"16KiB", "1MiB"})}})
                : json::object({{"connection_rate", choices.one_of<std::string>({"0.7Gbps", "5Gbps"})}});
      break;
    default:
      break;
  }
}

/// The random scenario number `run`; nothing if the algorithm does not fit the cluster.
std::optional<Scenario> scenario_on_any_cluster(std::uint64_t run) {
  RandomChoices choices(run);
  json document = {{"seed", run},
                   {"iterations", choices.one_of<int>({3, 8, 21})},
                   {"warmup_iterations", 1},
                   {"engine", choices.below(4) == 0 ? "event" : "fair"},
                   {"cluster", any_cluster(choices)}};
  document["workload"] = any_workload(choices, document["cluster"]["workers"].get<int>());
  document["algorithms"] = json::array({any_algorithm(choices)});
  add_rare_options(choices, document);
  try {
    return read_scenario_document(document, "any_cluster.json");
  } catch (const ScenarioError&) {
    return std::nullopt;
  }
}

/// How many runs were compared, and how many of them were evaluated, predicted exactly, or bounded.
struct ComparedRuns {
  int runs = 0;
  int evaluated = 0;
  int predicted_exactly = 0;
  int bounded = 0;
};

/// By how much iterations end later in `one` than in `other`: the greatest difference relative to the time of
/// the end, at least 0.
double lateness(const IterationLog& one, const IterationLog& other) {
  double latest = 0;
  for (Rank rank = 0; rank < one.workers(); ++rank)
    for (std::size_t i = 0; i < other.of(rank).size(); ++i)
      latest = greater_error(latest, one.of(rank)[i].end_s / other.of(rank)[i].end_s - 1);
  return latest;
}

void compare_run(const Scenario& scenario, ComparedRuns& counts) {
  const ScenarioJob job(scenario);
  const ExactRuns exact_runs;
  const auto outcome_of = [&](const Scenario& same) {
    return SimulatedMachine(same, job.routes(), nullptr, {}, &exact_runs).run_trial(job.run(0));
  };
  Scenario by_messages = scenario;
  by_messages.collectives = CollectiveExecution::messages;
  const Outcome sent = outcome_of(by_messages);
  const Outcome outcome = outcome_of(scenario);
  CHECK(difference(outcome.log, sent.log) < rounding_of_sums);
  CHECK(outcome.statistics.makespan_s == about(sent.statistics.makespan_s, rounding_of_sums));
  CHECK(outcome.statistics.messages == sent.statistics.messages);
  CHECK(outcome.statistics.bytes == about(sent.statistics.bytes, rounding_of_sums));
  counts.evaluated += outcome.statistics.evaluated_messages > 0 ? 1 : 0;
  ++counts.runs;
  const Prediction prediction = ModelMachine(scenario, job.routes()).prediction_of(job.run(0));
  if (prediction.validity == ModelValidity::lower_bound) {
    CHECK(lateness(prediction.log, sent.log) < rounding_of_sums);
    ++counts.bounded;
  }
  if (prediction.validity != ModelValidity::exact) return;
  CHECK(difference(prediction.log, sent.log) < 1e-6);
  ++counts.predicted_exactly;
}

TEST_CASE("messages of the next operation do not wait for a slower worker to end its ring") {
  // The fast worker has the averaged model sooner, and begins an operation in which the slow one takes part
  // before its own ring ends.
  const Scenario scenario = read_scenario_document(nlohmann::json::parse(R"({
    "iterations": 4, "warmup_iterations": 0,
    "cluster": {"workers": 2, "transport": "nccl_ib",
      "network": {"kind": "line", "link": {"bandwidth": "100Gbps", "latency": 0}}},
    "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": 0, "backward": "7ms"},
      "optimizer_rate": "50GBps", "imbalance": {"kind": "slow_workers", "workers": [0], "factor": 1.3}},
    "algorithms": [{"kind": "eager_solo", "limiter": 2, "late_gradients": "accumulate", "bucket_bytes": "8MB",
      "model_sync_iterations": 3, "operation_cost": "100us"}]})"),
                                                   "eager_sync.json");
  ComparedRuns counts;
  compare_run(scenario, counts);
}

TEST_CASE(
    "on random clusters, evaluated runs and exact predictions equal the simulation, and lower bounds are "
    "never later") {
  constexpr std::uint64_t runs = has_address_sanitizer ? 30 : 600;
  ComparedRuns counts;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const std::optional<Scenario> scenario = scenario_on_any_cluster(run);
    if (!scenario) continue;
    CAPTURE(run);
    CAPTURE(scenario->as_read.dump());
    try {
      compare_run(*scenario, counts);
    } catch (const ScenarioError&) {
      // Some algorithms take a power of two, or an even number of workers.
    }
  }
  // Shares that keep the test from passing on nothing. They are small as many networks are oversubscribed,
  // hosts share links, and workers differ.
  CHECK(counts.runs > static_cast<int>(runs) / 2);
  CHECK(counts.evaluated > counts.runs / 8);
  CHECK(counts.predicted_exactly > counts.runs / 6);
  CHECK(counts.bounded > counts.runs / 10);
}

}  // namespace
}  // namespace starling
