#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/running/run_facts.hpp"
#include "scenarios/reading/scenario.hpp"
#include "topologies/facts/bisection_facts.hpp"
#include "topologies/facts/distances.hpp"
#include "topologies/facts/floor_plan.hpp"
#include "topologies/facts/price_list.hpp"

namespace starling {

/// What worker 0 meets on its ways to all others.
struct Reach {
  double least_latency_s = 0;
  double greatest_latency_s = 0;
  double least_bandwidth_Bps = 0;
  double greatest_bandwidth_Bps = 0;
};

/// How far an algorithm's averaging brings models together.
struct GraphGap {
  std::string algorithm;
  GapFacts facts;
};

/// What is to be known of a network before anything runs on it.
struct NetworkReport {
  std::string kind;  // "none" if the cluster has no network: one host
  int workers = 0;
  std::string placement;
  NetworkInventory inventory;
  /// Absent for a single host, as all that follows.
  std::optional<DistanceFacts> distances = {};
  std::optional<RouteLengths> routes = {};  // where they need not be shortest paths
  std::optional<DisjointPaths> disjoint_paths = {};
  std::optional<BisectionFacts> bisection = {};
  std::optional<Reach> reach = {};
  std::optional<double> host_rate_Bps = {};  // where hosts move less over their cables than these take
  /// The gap of each algorithm that averages over a graph, where the whole scenario is known.
  std::vector<GraphGap> gaps = {};
  NetworkCost cost = {};
  std::string missing_switch = {};  // why it is not for sale, empty if it is
  std::string price_list;
  std::string currency;
};

/// `scenario` may be null; `host_costs` are the cluster's. @throws ScenarioError that names `price_list`
/// if that has not all that the network needs, or the algorithm whose graph does not fit;
/// std::invalid_argument if there is no such network.
NetworkReport network_report(const ClusterOptions& cluster, const Scenario* scenario, const PriceList& prices,
                             const std::filesystem::path& price_list = {}, const HostCosts& host_costs = {});

}  // namespace starling
