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

/// The ranges of latency and bandwidth on the routes from worker 0 to all other workers.
struct Reach {
  double least_latency_s = 0;
  double greatest_latency_s = 0;
  double least_bandwidth_Bps = 0;
  double greatest_bandwidth_Bps = 0;
};

/// The spectral gap of an algorithm's averaging.
struct GraphGap {
  std::string algorithm;
  GapFacts facts;
};

/// The facts of a network, and its cost.
struct NetworkReport {
  std::string kind;  // "none" if the cluster has no network: one host
  int workers = 0;
  std::string placement;
  NetworkInventory inventory;
  /// Absent for a single host, as are routes, disjoint paths and bisection.
  std::optional<DistanceFacts> distances = {};
  std::optional<RouteLengths> routes = {};  // also absent where routes are always shortest paths
  std::optional<DisjointPaths> disjoint_paths = {};
  std::optional<BisectionFacts> bisection = {};
  std::optional<Reach> reach = {};           // absent for a single worker
  std::optional<double> host_rate_Bps = {};  // if it is less than the bandwidth of the hosts' cables
  /// The gap of each algorithm that averages over a graph; empty without a scenario.
  std::vector<GraphGap> gaps = {};
  NetworkCost cost = {};
  std::string missing_switch = {};  // why the price list cannot supply a switch; empty if it can
  std::string price_list;
  std::string currency;
};

/// Collects the facts of a cluster's network. `scenario` may be null; `host_costs` are the cluster's. @throws
/// ScenarioError that names `price_list` if it lacks a part that the network needs, or the algorithm whose
/// graph does not fit the cluster; std::invalid_argument if the network is impossible.
NetworkReport network_report(const ClusterOptions& cluster, const Scenario* scenario, const PriceList& prices,
                             const std::filesystem::path& price_list = {}, const HostCosts& host_costs = {});

}  // namespace starling
