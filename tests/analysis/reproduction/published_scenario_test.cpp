#include "analysis/reproduction/published_scenario.hpp"

#include <doctest/doctest.h>

#include <string>

#include "analysis/reproduction/published_algorithm.hpp"
#include "published_entries.hpp"
#include "tests/rounding.hpp"

namespace starling {

namespace {

using nlohmann::json;

json algorithm_after(const char* published) { return scenario_algorithm(json::parse(published)); }

std::string reason_for(const char* published) {
  return reason_of([&] { algorithm_after(published); });
}

TEST_CASE("published algorithms and their options are renamed to those of scenarios") {
  CHECK(algorithm_after(R"({"kind": "wfbp", "library": "Deep500"})") == json{{"kind", "wfbp"}});
  CHECK(algorithm_after(R"({"kind": "ddp", "bucket_bytes": 26214400})") ==
        json{{"kind", "ddp"}, {"bucket_bytes", 26214400}});
  CHECK(algorithm_after(R"({"kind": "eager_solo", "sync_every": 33, "model_sync_epochs": 0})") ==
        json{{"kind", "eager_solo"}, {"limiter", 32}});
  CHECK(algorithm_after(R"({"kind": "wagma", "S": 8, "tau": 10, "groups": "fixed"})") ==
        json{{"kind", "wagma"}, {"group_size", 8}, {"sync_period", 10}, {"fixed_groups", true}});
  CHECK(algorithm_after(R"({"kind": "local_sgd", "tau": 1})") == json{{"kind", "local_sgd"}, {"period", 1}});
  CHECK(algorithm_after(R"({"kind": "dpsgd", "topology": "ring", "neighbors": 2})") ==
        json{{"kind", "dpsgd"}, {"graph", "ring"}});
  CHECK(algorithm_after(R"({"kind": "sgp", "neighbors": 4})") == json{{"kind", "sgp"}, {"neighbors", 4}});
  CHECK(algorithm_after(R"({"kind": "sgp", "neighbors": 1, "topology": "one_peer_exponential"})") ==
        json{{"kind", "sgp"}, {"neighbors", 1}});
  CHECK(algorithm_after(R"({"kind": "decentralized_adam_aer", "optimizer": "accum_adam"})") ==
        json{{"kind", "decentralized_adam"}, {"graph", "alternating_exponential_ring"}});
  CHECK(algorithm_after(R"({"kind": "decentralized_adam_complete"})").at("graph") == "complete");
  CHECK(algorithm_after(R"({"kind": "decentralized_adam_exp"})").at("graph") == "one_peer_exponential");
}

TEST_CASE("the reason names an algorithm or option that Starling does not have") {
  CHECK(reason_for(R"({"kind": "lion"})") == "Starling has no algorithm lion");
  CHECK(reason_for(R"({"kind": "dpsgd", "topology": "ring", "neighbors": 2, "communication_steps": 2})") ==
        "dpsgd with \"communication_steps\": 2 is not modeled");
  CHECK(reason_for(R"({"kind": "ddp", "tau": 10})") == "ddp with \"tau\": 10 is not modeled");
  CHECK(reason_for(R"({"kind": "eager_solo", "sync_every": 0})") ==
        "eager_solo with \"sync_every\": 0 is not modeled");
}

TEST_CASE(
    "one random rank a step becomes random_delay, several become independent delays of equal probability") {
  const json one =
      json::parse(R"({"delay": {"kind": "random_ranks", "ranks": 1, "seconds": 0.2, "every": "step"}})");
  CHECK(imbalance_of_delay(one, 8) ==
        json::parse(R"([{"kind": "random_delay", "workers": 1, "delay": 0.2}])"));

  const json two = json::parse(R"({"delay": {"kind": "random_ranks", "ranks": 2, "seconds": 0.32}})");
  const json causes = imbalance_of_delay(two, 4);
  CHECK(causes.size() == 1);
  CHECK(causes.at(0).at("kind") == "independent_delay");
  CHECK(causes.at(0).at("delay") == 0.32);
  // Two draws of one of four ranks, with replacement: 1 − (3/4)².
  CHECK(causes.at(0).at("probability").get<double>() == about(7.0 / 16, 1e-12));
}

TEST_CASE("linear delays are a skew from the least to the greatest plus the least for all ranks") {
  const json skew =
      json::parse(R"({"delay": {"kind": "linear_skew", "min_s": 0.5, "max_s": 4, "step_s": 0.5}})");
  CHECK(imbalance_of_delay(skew, 8) == json::parse(R"([{"kind": "linear_skew", "step": 0.5, "rotate": false},
                        {"kind": "independent_delay", "probability": 1, "delay": 0.5}])"));
  const json rotating = json::parse(R"({"delay": {"kind": "rotating_linear", "min_s": 0, "max_s": 3}})");
  CHECK(imbalance_of_delay(rotating, 4) ==
        json::parse(R"([{"kind": "linear_skew", "step": 1.0, "rotate": true}])"));
}

TEST_CASE("delays that are incomplete or of an unknown kind are not comparable") {
  const auto reason = [](const char* delay) {
    return reason_of([&] { imbalance_of_delay({{"delay", json::parse(delay)}}, 8); });
  };
  CHECK(reason(R"({"kind": "random_ranks", "ranks": 4, "seconds": null})") ==
        "\"seconds\" of the delay is not stated");
  CHECK(reason(R"({"kind": "linear_skew", "min_s": 1})") == "\"max_s\" of the delay is not stated");
  CHECK(reason(R"({"kind": "linear_skew", "min_s": 2, "max_s": 1})") ==
        "\"max_s\" of the delay is less than \"min_s\"");
  CHECK(reason(R"({"kind": "random_ranks", "ranks": 1, "seconds": 1, "every": "epoch"})") ==
        "delays every \"epoch\" are not modeled");
  CHECK(reason(R"({"kind": "sunspots"})") == "delays of the kind sunspots are not modeled");
  CHECK(reason("3") == "the kind of the delay is not stated");
  CHECK(imbalance_of_delay(json::object(), 8).empty());
}

TEST_CASE("the batch of an entry is per worker and in samples or tokens or steps") {
  CHECK(batch_of(lab_entry()).samples == 64);
  const auto batch = [](const char* workload) {
    PublishedEntry entry = lab_entry();
    entry.workload = json::parse(workload);
    return batch_of(entry);
  };
  CHECK(batch(R"({"batch_tokens_per_worker": 390.625, "global_batch_tokens": 1})").samples == 390.625);
  CHECK(batch(R"({"experience_steps_per_worker": 256})").samples == 256);
  CHECK(batch(R"({"global_batch": 1024})").samples == 128);
  CHECK(batch(R"({"global_batch_tokens": 25000})").samples == 3125);
  CHECK(batch(R"({"max_batch_tokens_per_worker": 8192})").is_maximum);
  CHECK(reason_of([&] { batch("{}"); }) == "the batch size is not stated");
  CHECK(reason_of([&] { batch(R"({"batch_per_worker": 0})"); }) ==
        "\"batch_per_worker\" of 0 is not a batch size");
}

TEST_CASE("another number of workers and another batch need no other profile") {
  const ClusterProfile profile = lab_profile();
  const PublishedEntry entry = lab_entry(R"({"workers": 32, "workload": {"batch_per_worker": 128},
                                             "cluster": {"nodes": 8}})");
  const json scenario = scenario_of(job_of(entry, profile));
  CHECK(scenario.at("cluster").at("workers") == 32);
  CHECK(scenario.at("cluster").at("workers_per_host") == 4);
  CHECK(scenario.at("workload").at("batch_size") == 128);
  CHECK(scenario.at("workload").at("compute") == json::parse(R"({"batches": [
      {"batch_size": 8, "forward": 0.03, "backward": 0.05},
      {"batch_size": 64, "forward": 0.08, "backward": 0.16}]})"));
  CHECK(scenario.at("algorithms") == json::parse(R"([{"kind": "ddp"}])"));
  // 85 samples for 8 workers are 10.6 each, rounded to 11.
  const PublishedEntry odd = lab_entry(R"({"workload": {"batch_per_worker": null, "global_batch": 85}})");
  CHECK(scenario_of(job_of(odd, profile)).at("workload").at("batch_size") == 11);
}

TEST_CASE("the nearest batch size is the one with the ratio closest to 1") {
  const ClusterProfile profile = lab_profile();
  const auto nearest = [&](const char* changes) {
    const PublishedEntry entry = lab_entry(changes);
    return compute_of(job_of(entry, profile))->batch_size;
  };
  CHECK(nearest(R"({"workload": {"batch_per_worker": 22}})") == 8);  // √(8 · 64) = 22.6
  CHECK(nearest(R"({"workload": {"batch_per_worker": 24}})") == 64);
}

TEST_CASE("workers per host come from the entry, or from its workers and nodes") {
  const ClusterProfile profile = lab_profile();
  const auto per_host = [&](const char* changes) {
    const PublishedEntry entry = lab_entry(changes);
    return cluster_of(job_of(entry, profile)).at("workers_per_host").get<int>();
  };
  CHECK(per_host(R"({"workers": 1})") == 1);
  CHECK(per_host(R"({"cluster": {"workers_per_node": null}})") == 4);  // 8 on 2 nodes
  CHECK(per_host(R"({"workers": 9, "cluster": {"workers_per_node": null}})") == 5);
  CHECK(reason_of([&] { per_host(R"({"cluster": {"workers_per_node": null, "nodes": null}})"); }) ==
        "the entry does not say how many workers share a node");
}

TEST_CASE("compute times with the most matching keys are used, for every measured batch size") {
  const ClusterProfile profile = lab_profile();
  const auto compute = [&](const char* changes) {
    const PublishedEntry entry = lab_entry(changes);
    return scenario_of(job_of(entry, profile)).at("workload").at("compute");
  };
  CHECK(compute(R"({"workload": {"batch_per_worker": 8}})") == json{{"forward", 0.03}, {"backward", 0.05}});
  CHECK(compute(R"({"workload": {"batch_per_worker": 16}})").at("batches").size() == 2);
  CHECK(compute(R"({"workload": {"batch_per_worker": 32, "amp": true}})") ==
        json::parse(R"({"batches": [{"batch_size": 64, "forward": 0.04, "backward": 0.06}]})"));
  // A maximum is no batch size of the measured ones: the compute time of the nearest is used.
  CHECK(compute(R"({"workload": {"batch_per_worker": null, "max_batch_tokens_per_worker": 8192}})") ==
        json{{"forward", 0.08}, {"backward", 0.16}});

  const PublishedEntry entry = lab_entry(R"({"workload": {"amp": true}})");
  const json workload = scenario_of(job_of(entry, profile)).at("workload");
  CHECK(workload.at("optimizer_rate") == "100GBps");
  CHECK(workload.at("imbalance") == json::parse(R"([{"kind": "gamma", "coefficient_of_variation": 0.1}])"));
}

TEST_CASE("a model without compute times uses the profile's roofline, if there is one") {
  ClusterProfile profile = lab_profile();
  const PublishedEntry entry = lab_entry(R"({"workload": {"model": "bert_base"}})");
  CHECK(reason_of([&] { scenario_of(job_of(entry, profile)); }) == "no compute time for bert_base on lab");
  profile.roofline =
      ProfileRoofline{.compute = {{"gpu", "P100"}, {"achieved_fraction", 0.5}}, .calibrated_on = {}};
  CHECK(scenario_of(job_of(entry, profile)).at("workload").at("compute") == profile.roofline->compute);
}

TEST_CASE("an entry's distribution replaces compute times unless the profile has one") {
  ClusterProfile profile = lab_profile();
  const PublishedEntry entry = lab_entry(
      R"({"workload": {"model": "habitat_ddppo", "distribution": "rl_habitat_collect",
          "batch_per_worker": 256}})");
  CHECK(scenario_of(job_of(entry, profile)).at("workload").at("imbalance") ==
        json::parse(R"([{"kind": "distribution", "name": "rl_habitat_collect"}])"));
  profile.compute.back().imbalance =
      json::parse(R"({"kind": "distribution", "name": "cloud_resnet50_batch"})");
  CHECK(scenario_of(job_of(entry, profile)).at("workload").at("imbalance") ==
        json::array({profile.compute.back().imbalance}));
}

TEST_CASE("all matching software entries are merged, later ones over earlier ones") {
  const ClusterProfile profile = lab_profile();
  const PublishedEntry plain = lab_entry(R"({"algorithm": {"kind": "wfbp"}})");
  CHECK(algorithm_of(job_of(plain, profile)) == json{{"kind", "wfbp"}, {"collective", "double_tree"}});
  CHECK(cluster_of(job_of(plain, profile)).at("network").at("link").at("bandwidth") == "8Gbps");

  const PublishedEntry deep = lab_entry(R"({"algorithm": {"kind": "wfbp", "library": "Deep500"}})");
  const json scenario = scenario_of(job_of(deep, profile));
  CHECK(scenario.at("algorithms").at(0).at("collective") == "recursive_doubling");
  CHECK(scenario.at("cluster").at("network").at("link") == json{{"bandwidth", "4Gbps"}, {"latency", "5us"}});
  CHECK(scenario.at("workload").at("optimizer_rate") == "1GBps");

  const PublishedEntry elsewhere =
      lab_entry(R"({"algorithm": {"kind": "wfbp", "library": "Deep500"}, "paper": "Another"})");
  CHECK(algorithm_of(job_of(elsewhere, profile)).at("collective") == "double_tree");
}

TEST_CASE("software can depend on how many workers and hosts there are") {
  ClusterProfile profile = lab_profile();
  ProfileSoftware table;
  table.match = {{"kind", "mg_wfbp"}, {"workers", 8}};
  table.algorithm = {{"planned_start_up", "1ms"}};
  ProfileSoftware tree;
  tree.match = {{"hosts", 3}};
  tree.algorithm = {{"collective", "hierarchical"}};
  profile.software = {table, tree};
  const auto algorithm = [&](const char* changes) {
    const PublishedEntry entry = lab_entry(changes);
    return algorithm_of(job_of(entry, profile));
  };
  CHECK(algorithm(R"({"algorithm": {"kind": "mg_wfbp"}})") ==
        json{{"kind", "mg_wfbp"}, {"planned_start_up", "1ms"}});
  // Four to a host: 9 workers are on three hosts, 8 on two.
  CHECK(algorithm(R"({"algorithm": {"kind": "mg_wfbp"}, "workers": 9})") ==
        json{{"kind", "mg_wfbp"}, {"collective", "hierarchical"}});
}

}  // namespace

}  // namespace starling
