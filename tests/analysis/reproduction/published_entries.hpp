#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/reproduction/cluster_profile.hpp"
#include "analysis/reproduction/not_comparable.hpp"
#include "analysis/reproduction/published_file.hpp"
#include "analysis/reproduction/published_scenario.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {

/// A profile of a cluster "lab": measured times of two models, and two programs with algorithms of their own,
/// one of them on a slower link.
inline ClusterProfile lab_profile() {
  const ScratchFolder folder;
  return read_cluster_profile(folder.write("lab.json", R"json({
    "name": "lab",
    "description": "four workers per host",
    "cluster": {
      "network": {"kind": "star", "link": {"bandwidth": "8Gbps", "latency": "5us"}},
      "intra_host_link": {"bandwidth": "10GBps", "latency": "1us"}
    },
    "compute": [
      {"model": "resnet50", "batch_size": 64, "forward": "80ms", "backward": "160ms",
       "calibrated_on": ["lab-p1"]},
      {"model": "resnet50", "batch_size": 8, "forward": "30ms", "backward": "50ms", "source": "measured"},
      {"model": "resnet50", "match": {"amp": true}, "batch_size": 64, "forward": "40ms", "backward": "60ms",
       "optimizer_rate": "100GBps", "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.1},
       "source": "measured"},
      {"model": "habitat_ddppo", "batch_size": 256, "forward": "1s", "backward": "1s", "mean_samples": 200,
       "samples_per_epoch": 100000, "source": "measured"}
    ],
    "software": [
      {"match": {"kind": "wfbp"}, "algorithm": {"collective": "double_tree"}, "source": "its code"},
      {"match": {"library": "Deep500", "paper": "Lab"}, "algorithm": {"collective": "recursive_doubling"},
       "cluster": {"network": {"link": {"bandwidth": "4Gbps"}}}, "workload": {"optimizer_rate": "1GBps"},
       "source": "its code"}
    ],
    "parameters": [{"pointer": "/cluster", "source": "data sheet"}]
  })json"));
}

/// An entry like those of the shipped file, after changes (a JSON merge patch).
inline nlohmann::json lab_entry_json(const std::string& changes) {
  nlohmann::json entry = nlohmann::json::parse(R"json({
    "id": "lab-p8", "paper": "The Lab Report", "source": "Fig. 1", "grade": "verbatim",
    "cluster": {"id": "lab", "nodes": 2, "workers_per_node": 4},
    "workload": {"model": "resnet50", "batch_per_worker": 64, "delay": {"kind": "none"}},
    "workers": 8, "algorithm": {"kind": "ddp"}, "metric": "iteration_time_s", "value": 0.5, "notes": ""
  })json");
  entry.merge_patch(nlohmann::json::parse(changes));
  return entry;
}

/// Reads an entry from JSON. @throws ScenarioError if it does not conform to the schema.
inline PublishedEntry entry_of(const nlohmann::json& entry) {
  const ScratchFolder folder;
  const nlohmann::json document{{"entries", nlohmann::json::array({entry})}};
  return read_published_file(folder.write("published.json", document.dump())).front();
}

inline PublishedEntry lab_entry(const std::string& changes = "{}") {
  return entry_of(lab_entry_json(changes));
}

/// The job that predicts the entry itself, not a baseline of it.
inline PublishedJob job_of(const PublishedEntry& entry, const ClusterProfile& profile) {
  return {.entry = entry,
          .profile = profile,
          .algorithm = entry.algorithm,
          .workers = entry.workers,
          .batch = batch_of(entry)};
}

/// The reason of the NotComparable that `action` throws; "comparable" if it throws none.
template <typename Action>
std::string reason_of(Action action) {
  try {
    action();
  } catch (const NotComparable& reason) {
    return reason.what();
  }
  return "comparable";
}

}  // namespace starling
