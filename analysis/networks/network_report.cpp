#include "analysis/networks/network_report.hpp"

#include <algorithm>
#include <variant>

#include "analysis/running/network_facts.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"
#include "topologies/facts/cabling.hpp"

namespace starling {
namespace {

/// Caches no routes: all those of a ring would take memory quadratic in its hosts.
Reach reach_of_first_worker(const Network& network) {
  const RouteSummary first = network.summary_once(0, 1);
  Reach reach{.least_latency_s = first.latency_s, .least_bandwidth_Bps = first.least_bandwidth_Bps};
  for (Rank other = 1; other < network.workers(); ++other) {
    const RouteSummary summary = network.summary_once(0, other);
    reach.least_latency_s = std::min(reach.least_latency_s, summary.latency_s);
    reach.greatest_latency_s = std::max(reach.greatest_latency_s, summary.latency_s);
    reach.least_bandwidth_Bps = std::min(reach.least_bandwidth_Bps, summary.least_bandwidth_Bps);
    reach.greatest_bandwidth_Bps = std::max(reach.greatest_bandwidth_Bps, summary.least_bandwidth_Bps);
  }
  return reach;
}

bool averages_over_graph(const ScenarioAlgorithm& algorithm) {
  return algorithm.options.traits().has_mixing_matrix;
}

std::vector<GraphGap> gaps_of(const Scenario& scenario, const Network& network) {
  // The facts, too, ask for many routes.
  if (std::ranges::none_of(scenario.algorithms, averages_over_graph)) return {};
  const ClusterFacts facts = facts_of(network, scenario.message_costs);
  std::vector<GraphGap> gaps;
  for (std::size_t i = 0; i < scenario.algorithms.size(); ++i)
    if (const ScenarioAlgorithm& algorithm = scenario.algorithms[i]; averages_over_graph(algorithm))
      gaps.push_back(naming_place(scenario.file.string(), pointer_to("/algorithms", i), [&] {
        return GraphGap{.algorithm = algorithm.label, .facts = gap_facts(algorithm.options, facts)};
      }));
  return gaps;
}

/// The name of a network's kind. A cluster without a network has a graph without cables in its place.
std::string kind_of(const NetworkKind& kind) {
  const auto* const graph = std::get_if<GraphOptions>(&kind);
  if (graph != nullptr && graph->cables.empty()) return "none";
  return std::visit([](const auto& options) { return std::string(options.name); }, kind);
}

}  // namespace

NetworkReport network_report(const ClusterOptions& cluster, const Scenario* scenario, const PriceList& prices,
                             const std::filesystem::path& price_list, const HostCosts& host_costs) {
  Network network = build_network(cluster);
  NetworkReport report{.kind = kind_of(cluster.network.kind),
                       .workers = network.workers(),
                       .placement = shown_name(cluster.placement),
                       .inventory = network_inventory(network, prices.floor_plan),
                       .price_list = prices.name,
                       .currency = prices.currency};
  report.cost = naming_place(price_list.string(), "", [&] { return network_cost(report.inventory, prices); });
  report.missing_switch = missing_switch(report.inventory, prices);
  if (network.hosts() > 1) {
    const Cabling cabling(network);
    report.distances = distance_facts(cluster, network, cabling);
    report.routes = route_lengths(network);
    report.disjoint_paths = disjoint_paths(cabling);
    report.bisection = bisection_facts(cluster, network);
  }
  network.add_host_costs(host_costs);
  if (network.is_limited_by_hosts()) report.host_rate_Bps = host_costs.rate_Bps;
  if (network.workers() > 1) report.reach = reach_of_first_worker(network);
  if (scenario != nullptr) report.gaps = gaps_of(*scenario, network);
  return report;
}

}  // namespace starling
