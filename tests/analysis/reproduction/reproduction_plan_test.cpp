#include "analysis/reproduction/reproduction_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "io/data_directory.hpp"
#include "published_entries.hpp"
#include "tests/rounding.hpp"

namespace starling {

namespace {

/// The plan of one entry: how it is predicted, and from which scenarios.
struct SinglePlan {
  EntryPlan entry;
  std::vector<nlohmann::json> scenarios;

  explicit SinglePlan(const std::string& changes, const ClusterProfile& profile = lab_profile()) {
    ReproductionPlan plan = plan_reproduction({lab_entry(changes)}, {{"lab", profile}});
    entry = std::move(plan.entries.at(0));
    for (const std::size_t run : entry.runs)
      scenarios.push_back(nlohmann::json::parse(plan.scenarios.at(run)));
  }
  /// The prediction if the runs have these mean iteration times, with medians half as long and 5 active
  /// workers.
  double prediction(const std::vector<double>& means_s) const {
    std::vector<RunFigures> figures;
    for (const double mean_s : means_s)
      figures.push_back({.mean_s = mean_s, .median_s = mean_s / 2, .mean_active_workers = 5});
    return entry.predict(figures);
  }
};

std::string reason_after(const std::string& changes) {
  const SinglePlan plan(changes);
  CHECK(plan.entry.status == EntryStatus::not_comparable);
  CHECK(plan.entry.runs.empty());
  return plan.entry.reason;
}

TEST_CASE("a published iteration time is predicted by the mean of one run") {
  const SinglePlan plan("{}");
  CHECK(plan.entry.status == EntryStatus::compared);
  CHECK(plan.scenarios.size() == 1);
  CHECK(plan.prediction({0.25}) == 0.25);
}

TEST_CASE("a throughput counts the samples of all workers") {
  CHECK(SinglePlan(R"({"metric": "throughput_images_per_s"})").prediction({0.25}) == 8 * 64 / 0.25);
  CHECK(SinglePlan(R"({"metric": "throughput_images_per_s:median"})").prediction({0.25}) == 8 * 64 / 0.125);
  const char* of_maximum = R"({"metric": "throughput_tokens_per_s", "workload":
      {"model": "habitat_ddppo", "batch_per_worker": null, "max_batch_tokens_per_worker": 256}})";
  CHECK(SinglePlan(of_maximum).prediction({0.25}) == 8 * 200 / 0.25);
  CHECK(reason_after(R"({"metric": "throughput_tokens_per_s", "workload":
      {"batch_per_worker": null, "max_batch_tokens_per_worker": 256}})") ==
        "the number of samples of an iteration is not stated, only its maximum");
}

TEST_CASE("a speedup takes a second run, of the baseline") {
  const SinglePlan plan(
      R"({"metric": "speedup_over:wfbp", "baseline": {"kind": "wfbp", "library": "Deep500"}})");
  CHECK(plan.scenarios.at(0).at("algorithms").at(0).at("kind") == "ddp");
  CHECK(plan.scenarios.at(1).at("algorithms").at(0).at("kind") == "wfbp");
  CHECK(plan.prediction({0.25, 0.5}) == 2);
  CHECK(reason_after(R"({"metric": "speedup_over:wfbp"})") == "the baseline is not stated");
  CHECK(reason_after(R"({"metric": "speedup_over:wfbp", "baseline": {"kind": "dear"}})") ==
        "the baseline is dear, not wfbp");
}

TEST_CASE("a speedup over one GPU is a ratio of samples per second") {
  const std::string metric = R"("metric": "speedup_over:single_gpu", "workload":
      {"delay": {"kind": "random_ranks", "ranks": 1, "seconds": 0.1}})";
  const SinglePlan strong("{" + metric + R"(, "notes": "Strong scaling against ..."})");
  CHECK(strong.scenarios.at(0).at("cluster").at("workers") == 8);
  CHECK(strong.scenarios.at(1).at("cluster").at("workers") == 1);
  CHECK(strong.scenarios.at(1).at("workload").at("batch_size") == 512);
  CHECK_FALSE(strong.scenarios.at(1).at("workload").contains("imbalance"));
  CHECK(strong.prediction({0.25, 1}) == 4);

  const SinglePlan weak("{" + metric + R"(, "notes": "Weak scaling against ..."})");
  CHECK(weak.scenarios.at(1).at("workload").at("batch_size") == 64);
  CHECK(weak.prediction({0.5, 0.25}) == 4);
  CHECK(reason_after("{" + metric + "}") == "the batch size of the single GPU is not stated");
}

TEST_CASE("a distribution of compute times is used only for the batch size of the entry") {
  const std::string entry = R"({"metric": "speedup_over:single_gpu", "workload":
      {"distribution": "ucf101_lstm_batch"}, "notes": )";
  const SinglePlan weak(entry + R"("Weak scaling against ..."})");
  CHECK(weak.scenarios.at(1).at("workload").at("imbalance").at(0).at("name") == "ucf101_lstm_batch");
  const SinglePlan strong(entry + R"("Strong scaling against ..."})");
  CHECK(strong.scenarios.at(0).at("workload").contains("imbalance"));
  CHECK_FALSE(strong.scenarios.at(1).at("workload").contains("imbalance"));
}

TEST_CASE("a training time needs the number of iterations, or of epochs and their samples") {
  CHECK(SinglePlan(R"({"metric": "training_time_s", "workload": {"iterations": 1000}})").prediction({0.25}) ==
        250);
  const SinglePlan epochs(R"({"metric": "training_time_s", "workload":
      {"model": "habitat_ddppo", "batch_per_worker": 250, "epochs": 4}})");
  CHECK(epochs.prediction({0.5}) == 4 * 100000 / (8 * 250) * 0.5);
  CHECK(reason_after(R"({"metric": "training_time_s", "workload": {"epochs": 4}})") ==
        "the number of iterations of the training is not stated");
}

TEST_CASE("latencies and active processes come from the benchmark of collectives") {
  const std::string benchmark =
      R"("workload": {"model": null, "benchmark": "collective_latency", "message_bytes": 64,
      "delay": {"kind": "linear_skew", "min_s": 0.001, "max_s": 0.008}})";
  const SinglePlan latency(R"({"metric": "latency_s", "algorithm": {"kind": "eager_majority"},)" + benchmark +
                           "}");
  CHECK(latency.scenarios.at(0).at("message_bytes") == 64);
  CHECK(latency.scenarios.at(0).at("delay_step").get<double>() == about(0.001, 1e-12));
  CHECK(latency.prediction({0.25}) == 0.25);
  const SinglePlan active(R"({"metric": "active_processes", "algorithm": {"kind": "eager_solo"},)" +
                          benchmark + "}");
  CHECK(active.prediction({0.25}) == 5);
  CHECK(reason_after(R"({"metric": "latency_s"})") ==
        "latency_s is predicted only for the benchmark collective_latency");
  CHECK(reason_after(R"({"metric": "latency_s", )" + benchmark + "}") == "the latency of ddp is not modeled");
}

TEST_CASE("an entry that cannot be compared has a reason") {
  CHECK(reason_after(R"({"metric": "top1"})") == "accuracy, not time");
  CHECK(reason_after(R"({"metric": "bleu", "cluster": {"id": "not_stated"}})") == "accuracy, not time");
  CHECK(reason_after(R"({"metric": "joules"})") == "Starling does not predict joules");
  CHECK(reason_after(R"({"cluster": {"id": "not_stated"}})") == "the cluster is not stated");
  CHECK(reason_after(R"({"cluster": {"id": "moon"}})") == "there is no profile of cluster moon");
  CHECK(reason_after(R"({"algorithm": {"kind": "lion"}})") == "Starling has no algorithm lion");
  CHECK(reason_after(R"({"workload": {"model": "bert_base"}})") == "no compute time for bert_base on lab");
  CHECK(reason_after(R"({"workload": {"model": null}})") == "the model is not stated");
  CHECK(reason_after(R"({"value": 0})") == "the published value is 0, so there is no relative error");
}

TEST_CASE("an entry whose scenario is malformed has failed, with the place of the error") {
  const SinglePlan plan(R"({"algorithm": {"kind": "ddp", "bucket_bytes": -1}})");
  CHECK(plan.entry.status == EntryStatus::failed);
  CHECK(
      plan.entry.reason.starts_with("scenario of lab-p8: /algorithms/0/bucket_bytes: out of range, got -1"));
}

TEST_CASE("entries that need the same run share it, and fitted ones are marked") {
  std::vector<PublishedEntry> entries{lab_entry(), lab_entry(R"({"id": "lab-p1", "value": 3})"),
                                      lab_entry(R"({"id": "other", "workers": 16})")};
  const ReproductionPlan plan = plan_reproduction(entries, {{"lab", lab_profile()}});
  CHECK(plan.runs.size() == 2);
  CHECK(plan.entries.at(0).runs == plan.entries.at(1).runs);
  CHECK_FALSE(plan.entries.at(0).is_calibration);
  CHECK(plan.entries.at(1).is_calibration);  // by the profile's compute times
}

TEST_CASE("runs are whole periods of the algorithm's pattern of waiting") {
  const auto counted = [](const std::string& algorithm) {
    const SinglePlan plan(R"({"workers": 16, "cluster": {"nodes": 4}, "algorithm": )" + algorithm + "}");
    const auto warmup = plan.scenarios.at(0).at("warmup_iterations").get<int>();
    return std::pair(warmup, plan.scenarios.at(0).at("iterations").get<int>() - warmup);
  };
  // At least 12,800 iterations of 16 workers together, as uneven shares of their connections are random: 800
  // each.
  CHECK(counted(R"({"kind": "ddp"})") == std::pair(10, 800));
  CHECK(counted(R"({"kind": "eager_solo", "sync_every": 33})") == std::pair(33, 825));
  CHECK(counted(R"({"kind": "wagma", "S": 4, "tau": 8})") == std::pair(16, 800));
  CHECK(counted(R"({"kind": "decentralized_adam_exp"})") == std::pair(12, 800));
  CHECK(counted(R"({"kind": "decentralized_adam_aer"})") == std::pair(12, 800));
}

TEST_CASE("every shipped published entry has a plan or a reason why it has none") {
  const auto folder = data_directory() / "scenarios";
  const auto entries = read_published_file(folder / "published.json");
  ClusterProfiles profiles;
  for (const std::string& name : json_names(folder / "clusters"))
    profiles.emplace(name, read_cluster_profile(folder / "clusters" / (name + ".json")));
  const ReproductionPlan plan = plan_reproduction(entries, profiles);
  CHECK(plan.entries.size() == 319);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CAPTURE(entries[i].id);
    CAPTURE(plan.entries[i].reason);
    CHECK(plan.entries[i].status != EntryStatus::failed);
    CHECK(plan.entries[i].reason.empty() == (plan.entries[i].status == EntryStatus::compared));
    CHECK(plan.entries[i].runs.empty() == (plan.entries[i].status == EntryStatus::not_comparable));
  }
}

TEST_CASE("every shipped unfitted entry is planned, with profiles that are fitted to no entry") {
  const auto folder = data_directory() / "scenarios";
  ClusterProfiles profiles;
  for (const std::string& name : json_names(folder / "unfitted_clusters")) {
    CAPTURE(name);
    const ClusterProfile profile = read_cluster_profile(folder / "unfitted_clusters" / (name + ".json"));
    CHECK(calibration_entries(profile).empty());
    profiles.emplace(name, profile);
  }
  const auto entries = read_published_file(folder / "unfitted.json");
  REQUIRE_FALSE(entries.empty());
  const ReproductionPlan plan = plan_reproduction(entries, profiles);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CAPTURE(entries[i].id);
    CAPTURE(plan.entries[i].reason);
    CHECK(plan.entries[i].status == EntryStatus::compared);
  }
}

TEST_CASE("an entry with any value replaced is refused, not comparable, or planned, without another error") {
  const ClusterProfile profile = lab_profile();
  const std::vector<std::string> changes = {
      R"({"workload": {"delay": {"kind": "random_ranks", "ranks": 2, "seconds": 0.3, "every": "step"}}})",
      R"({"metric": "speedup_over:wagma", "algorithm": {"kind": "eager_solo", "sync_every": 33},
          "baseline": {"kind": "wagma", "S": 4, "tau": 8}})",
      R"({"metric": "latency_s", "algorithm": {"kind": "eager_majority"}, "workload": {
          "benchmark": "collective_latency", "message_bytes": 64,
          "delay": {"kind": "linear_skew", "min_s": 0.001, "max_s": 0.008}}})",
      R"({"metric": "training_time_s", "workload": {"iterations": 10,
          "distribution": "rl_habitat_collect"}})"};
  const std::vector<nlohmann::json> values = {
      nullptr, true, -1, 0, 1e300, 7.5, "x", {1}, {{"kind", "x"}}, std::numeric_limits<std::int64_t>::max()};
  int planned = 0;
  for (const std::string& change : changes) {
    const nlohmann::json entry = lab_entry_json(change);
    const nlohmann::json values_of_entry = entry.flatten();
    for (const auto& [pointer, unused] : values_of_entry.items()) {
      for (const nlohmann::json& value : values) {
        nlohmann::json changed = entry;
        changed[nlohmann::json::json_pointer(pointer)] = value;
        CAPTURE(changed.dump());
        std::vector<PublishedEntry> entries;
        try {
          entries = {entry_of(changed)};
        } catch (const ScenarioError&) {
          continue;
        }
        const EntryPlan plan = plan_reproduction(entries, {{"lab", profile}}).entries.at(0);
        CHECK(plan.reason.empty() == (plan.status == EntryStatus::compared));
        ++planned;
      }
    }
  }
  CHECK(planned > 100);
}

TEST_CASE("shipped profiles are calibrated on shipped entries") {
  const auto folder = data_directory() / "scenarios";
  std::vector<std::string> ids;
  for (const PublishedEntry& entry : read_published_file(folder / "published.json")) ids.push_back(entry.id);
  std::size_t fitted = 0;
  for (const std::string& name : json_names(folder / "clusters")) {
    for (const std::string& id :
         calibration_entries(read_cluster_profile(folder / "clusters" / (name + ".json")))) {
      CAPTURE(name);
      CAPTURE(id);
      CHECK(std::find(ids.begin(), ids.end(), id) != ids.end());
      ++fitted;
    }
  }
  CHECK(fitted > 0);
}

}  // namespace

}  // namespace starling
