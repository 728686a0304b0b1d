#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/design/design_answer.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {

/// The base of a study: eight workers train ResNet-50. Families of networks add the network.
inline nlohmann::json small_base(const std::string& algorithms) {
  auto base = nlohmann::json::parse(R"({
    "iterations": 12, "cluster": {"workers": 8, "transport": "ideal"},
    "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"},
      "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.1}}})");
  base["algorithms"] = nlohmann::json::parse(algorithms);
  return base;
}

/// A star, leaves and spines, and a torus, each with links of 1, 10 and 100 Gb/s.
inline nlohmann::json small_families() {
  return nlohmann::json::parse(R"([
    {"name": "star", "set": {"/cluster/network": {"kind": "star", "link": {"latency": "1us"}}},
     "vary": [{"/cluster/network/link/bandwidth": ["1Gbps", "10Gbps", "100Gbps"]}]},
    {"name": "leaves", "set": {"/cluster/network": {"kind": "leaf_spine", "hosts_per_leaf": 4, "spines": 2,
       "link": {"latency": "1us"}}},
     "vary": [{"/cluster/network/link/bandwidth": ["1Gbps", "10Gbps", "100Gbps"]},
              {"/cluster/network/oversubscription": [1, 4]}]},
    {"name": "torus", "set": {"/cluster/network": {"kind": "torus", "dimensions": [2, 4],
       "link": {"latency": "1us"}}},
     "vary": [{"/cluster/network/link/bandwidth": ["1Gbps", "10Gbps", "100Gbps"]}]}])");
}

/// The findings of a search, its answer, and the number of candidates that were run.
struct SearchedDesign {
  std::vector<CandidateFinding> findings;
  DesignAnswer answer;
  int tried = 0;
};

/// Searches a study with its store in `folder`, and resumes if the store has runs already.
inline SearchedDesign search_in_folder(const DesignStudy& study, const DesignSpace& space,
                                       const std::filesystem::path& folder, const DesignOptions& options,
                                       const SweepObservers& observers = {}) {
  std::filesystem::create_directories(folder);
  SweepStore store = SweepStore::open_or_make(folder);
  SearchedDesign searched{.findings = search_design(study, space, store, options, observers), .answer = {}};
  searched.answer = design_answer(study, space, searched.findings);
  for (const CandidateFinding& finding : searched.findings)
    if (finding.state == CandidateState::tried) ++searched.tried;
  return searched;
}

}  // namespace starling
