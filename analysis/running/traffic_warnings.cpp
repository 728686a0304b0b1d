#include "analysis/running/traffic_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/running/job_traffic.hpp"
#include "analysis/running/network_facts.hpp"
#include "sim/simulated/job_routes.hpp"
#include "topologies/placement/optimized_placement.hpp"

namespace starling {
namespace {

/// The traffic between neighboring ranks, the last and the first one included.
TrafficMatrix between_neighbors(const TrafficMatrix& traffic, int workers) {
  TrafficMatrix neighbors;
  std::ranges::copy_if(traffic, std::back_inserter(neighbors), [workers](const RankTraffic& pair) {
    const int distance = (pair.destination - pair.source + workers) % workers;
    return distance == 1 || distance == workers - 1;
  });
  return neighbors;
}

double bytes_of(const TrafficMatrix& traffic) {
  double sum = 0;
  for (const RankTraffic& pair : traffic) sum += pair.bytes;
  return sum;
}

/// The network under another placement that keeps the ranks of a host together.
struct Alternative {
  std::string placement;
  Network network;
};

/// The traffic of the algorithm with that index; empty where finding it takes more than a warning is worth.
TrafficMatrix cheap_traffic(const PlacedJob& placed, std::size_t index) {
  constexpr int most_workers_of_runs = 256;
  constexpr double most_messages = 1e5;  // of runs, 1 µs each
  const ScenarioJob& job = placed.job;
  const PreparedRun run = job.run(index);
  if (!run.algorithm.sequential_collectives().empty()) return job.traffic(index);
  if (placed.scope != TrafficScope::all || job.workers() > most_workers_of_runs) return {};
  if (std::optional<TrafficMatrix> typical = typical_traffic_of(run)) return std::move(*typical);
  const double messages = messages_to_find_traffic(run, job.workers(), job.iterations_of_pattern(index));
  return messages <= most_messages ? job.traffic(index) : TrafficMatrix();
}

std::vector<TrafficMatrix> traffic_of_all(const PlacedJob& placed) {
  std::vector<TrafficMatrix> traffic;
  for (std::size_t i = 0; i < placed.job.scenario().algorithms.size(); ++i)
    traffic.push_back(cheap_traffic(placed, i));
  return traffic;
}

/// The file, and the JSON pointer to the cluster.
std::string place_of_cluster(const PlacedJob& placed) {
  const Scenario& scenario = placed.job.scenario();
  return fmt::format("{}: {}/cluster", scenario.file.string(), scenario.place);
}

/// The label of the algorithm; of one of several jobs, which have one algorithm each, the job's name.
std::string sender_name(const ScenarioJob& job, std::size_t index) {
  const Scenario& scenario = job.scenario();
  return scenario.algorithm_place.empty() ? scenario.algorithms[index].label : "job " + scenario.name;
}

std::vector<Alternative> alternatives_of(const PlacedJob& placed) {
  std::vector<Alternative> alternatives;
  const auto sizes = placed.network.dimensions();
  const bool has_rows = std::ranges::count_if(sizes, [](int size) { return size > 1; }) > 1;
  const Scenario& scenario = placed.job.scenario();
  for (const char* name : {"block", "snake"}) {
    const PlacementOptions& placement = scenario.cluster.placement;
    const bool is_usable = std::string_view(name) == "block" ? !is_block(placement) : has_rows;
    if (!is_usable || (placement.hosts.empty() && placement.name == name)) continue;
    ClusterOptions other = scenario.cluster;
    other.placement = {.name = name};
    alternatives.push_back({name, network_of(other, scenario.host_costs)});
  }
  return alternatives;
}

/// The factor by which the busiest link carries less of the traffic to neighbors in the best alternative (of
/// equal ones, that over the fewest links), and its name; absent if the factor is too small to report. There
/// must be an alternative.
std::optional<std::pair<double, std::string>> gain_of_placement(
    const TrafficMatrix& traffic, const PlacedJob& placed, const std::vector<Alternative>& alternatives) {
  // Below these a warning is not worth it, or the pattern is another one: halving-doubling sends half of its
  // traffic to one neighbor.
  constexpr double least_factor = 1.05;
  constexpr double least_share = 0.75;
  const TrafficMatrix neighbors = between_neighbors(traffic, placed.job.workers());
  if (neighbors.empty() || bytes_of(neighbors) <= least_share * bytes_of(traffic)) return std::nullopt;
  const auto cost_on = [&](const Network& network) {
    return placement_cost(neighbors, JobRoutes(network, placed.workers));
  };
  std::vector<PlacementCost> costs;
  for (const Alternative& other : alternatives) costs.push_back(cost_on(other.network));
  const auto best = std::ranges::min_element(costs, is_better);
  const double factor = cost_on(placed.network).bottleneck_s / best->bottleneck_s;
  if (best->bottleneck_s == 0 || factor < least_factor) return std::nullopt;
  return std::pair(factor, alternatives[static_cast<std::size_t>(best - costs.begin())].placement);
}

std::vector<std::string> neighbor_warnings(const PlacedJob& placed, const std::vector<TrafficMatrix>& traffic,
                                           const std::vector<Alternative>& alternatives) {
  if (alternatives.empty()) return {};
  std::map<std::string, std::vector<std::string>> senders_by_gain;
  for (std::size_t i = 0; i < traffic.size(); ++i)
    if (const auto gain = gain_of_placement(traffic[i], placed, alternatives))
      senders_by_gain[fmt::format("{:.3g} times as much as with \"placement\": \"{}\"", gain->first,
                                  gain->second)]
          .push_back(sender_name(placed.job, i));
  std::vector<std::string> warnings;
  for (const auto& [gain, senders] : senders_by_gain)
    warnings.push_back(
        fmt::format("{}/placement: neighboring ranks, between which {} sends most of its data, share "
                    "links: the busiest link carries {}",
                    place_of_cluster(placed), fmt::join(senders, ", "), gain));
  return warnings;
}

/// How many times the mean of all cards that workers use the busiest of them has to take in.
double unevenness_of_cards(const TrafficMatrix& traffic, const PlacedJob& placed) {
  const Network& network = placed.network;
  std::map<std::pair<int, int>, double> bytes;  // by host and card
  for (const Rank worker : placed.workers) bytes[{network.host_of(worker), network.nic_of(worker)}] = 0;
  double all = 0;
  for (const RankTraffic& pair : traffic) {
    const Rank destination = placed.workers[static_cast<std::size_t>(pair.destination)];
    const int host = network.host_of(destination);
    if (network.host_of(placed.workers[static_cast<std::size_t>(pair.source)]) == host) continue;
    bytes[{host, network.nic_of(destination)}] += pair.bytes;
    all += pair.bytes;
  }
  if (all == 0) return 1;
  double greatest = 0;
  for (const auto& [card, of_card] : bytes) greatest = std::max(greatest, of_card);
  return greatest * static_cast<double>(bytes.size()) / all;
}

std::vector<std::string> card_warnings(const PlacedJob& placed, const std::vector<TrafficMatrix>& traffic) {
  constexpr double least_factor = 2;
  if (placed.network.nics_per_host() == 1) return {};
  std::vector<std::string> senders;
  double greatest = 0;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const double factor = unevenness_of_cards(traffic[i], placed);
    if (factor < least_factor) continue;
    senders.push_back(sender_name(placed.job, i));
    greatest = std::max(greatest, factor);
  }
  if (senders.empty()) return {};
  return {fmt::format(
      "{}/nics_per_host: of the data of {}, one of {} network cards of a host receives {:.3g} "
      "times the mean of all cards; NCCL has a ring for each card, and together these rings take as long as "
      "one ring over a single card that is as fast as all: to predict NCCL, describe such a card; the "
      "collective \"hierarchical\" uses all cards evenly",
      place_of_cluster(placed), fmt::join(senders, ", "), placed.network.nics_per_host(), greatest)};
}

/// The path of a message between hosts: the cable by which it leaves its host, the narrowest link of its
/// route, and, if that is narrower, of how many parallel choices it is one.
struct PathBetweenHosts {
  const Link* first = nullptr;
  const Link* narrowest = nullptr;
  double choices = 1;

  bool is_narrow() const { return choices > 1; }
};

/// Absent for ranks of one host.
std::optional<PathBetweenHosts> path_between_hosts(const PlacedJob& placed, Rank source, Rank destination) {
  const Network& network = placed.network;
  const Rank from = placed.workers[static_cast<std::size_t>(source)];
  const Rank to = placed.workers[static_cast<std::size_t>(destination)];
  if (network.host_of(from) == network.host_of(to)) return std::nullopt;
  const auto link_at = [&](LinkIndex index) { return &network.links()[static_cast<std::size_t>(index)]; };
  // Ports of workers, and network cards with links of their own, are the last vertices.
  const int vertices = network.hosts() + network.switches();
  const auto is_cable = [&](const Link* link) {
    return link->from_vertex < vertices && link->to_vertex < vertices;
  };
  const std::span<const LinkIndex> route = network.route(from, to);
  PathBetweenHosts path;
  path.first =
      link_at(*std::ranges::find_if(route, [&](LinkIndex index) { return is_cable(link_at(index)); }));
  path.narrowest = link_at(network.summary(route).slowest);
  if (is_cable(path.narrowest) && path.narrowest->bandwidth_Bps < path.first->bandwidth_Bps)
    path.choices = static_cast<double>(network.next_links(from, to, path.narrowest->from_vertex));
  return path;
}

bool have_neighbors_narrow_paths(const PlacedJob& placed) {
  const std::span<const Link> cables = links_of_cables(placed.network);
  // Cables that are all alike have no narrow path: this saves looking up the routes of many workers.
  if (std::ranges::adjacent_find(cables, std::ranges::not_equal_to(), &Link::bandwidth_Bps) == cables.end())
    return false;
  const int workers = placed.job.workers();
  for (Rank rank = 0; rank < workers; ++rank)
    if (const auto path = path_between_hosts(placed, rank, (rank + 1) % workers); path && path->is_narrow())
      return true;
  return false;
}

/// The path of the pair of ranks that takes longest on one of several narrow cables. Absent if something else
/// takes about as long: a host's own cable for all that it sends, a cable without parallel ones, or all
/// parallel cables together.
std::optional<PathBetweenHosts> deciding_narrow_path(const TrafficMatrix& traffic, const PlacedJob& placed) {
  constexpr double least_factor = 1.05;
  std::map<const Link*, double> busy_s;  // of the hosts' cables
  std::map<int, double> spread_s;        // of parallel narrow cables together, by the vertex where they begin
  double other_s = 0;
  double narrow_s = 0;
  std::optional<PathBetweenHosts> deciding;
  for (const RankTraffic& pair : traffic) {
    const auto path = path_between_hosts(placed, pair.source, pair.destination);
    if (!path) continue;
    const double pair_s = pair.bytes / path->narrowest->bandwidth_Bps;
    other_s = std::max(other_s, busy_s[path->first] += pair.bytes / path->first->bandwidth_Bps);
    if (path->is_narrow())
      other_s = std::max(other_s, spread_s[path->narrowest->from_vertex] += pair_s / path->choices);
    else
      other_s = std::max(other_s, pair_s);
    if (!path->is_narrow() || pair_s <= narrow_s) continue;
    narrow_s = pair_s;
    deciding = path;
  }
  return narrow_s > least_factor * other_s ? deciding : std::nullopt;
}

/// Looks at collectives only: other traffic would take a run to find out.
std::vector<std::string> path_warnings(const PlacedJob& placed) {
  if (!have_neighbors_narrow_paths(placed)) return {};
  std::vector<std::string> senders;
  std::optional<PathBetweenHosts> narrowest;
  for (std::size_t i = 0; i < placed.job.scenario().algorithms.size(); ++i) {
    if (placed.job.run(i).algorithm.sequential_collectives().empty()) continue;
    const auto path = deciding_narrow_path(placed.job.traffic(i), placed);
    if (!path) continue;
    senders.push_back(sender_name(placed.job, i));
    if (!narrowest || path->narrowest->bandwidth_Bps < narrowest->narrowest->bandwidth_Bps) narrowest = path;
  }
  if (!narrowest) return {};
  return {fmt::format(
      "{}/network: all data of {} from one rank to another take one of {:g} parallel cables of {:.4g} Gb/s, "
      "which is slower than the {:.4g} Gb/s of its host's cable; NCCL's channels spread over all of them: to "
      "predict NCCL, describe fewer cables of the same total bandwidth (\"spines\" of a leaf_spine)",
      place_of_cluster(placed), fmt::join(senders, ", "), narrowest->choices,
      narrowest->narrowest->bandwidth_Bps * 8e-9, narrowest->first->bandwidth_Bps * 8e-9)};
}

/// The bandwidth from the first rank to the first one on another host, 0 if there is none.
double bandwidth_between_hosts_Bps(const PlacedJob& placed) {
  const Network& network = placed.network;
  for (const Rank other : placed.workers)
    if (network.host_of(other) != network.host_of(placed.workers.front()))
      return network.summary(placed.workers.front(), other).least_bandwidth_Bps;
  return 0;
}

/// Two hosts with links of 32 Gb/s reached 31 Gb/s with four threads for sockets (github.com/NVIDIA/nccl,
/// issue 209); four hosts with links of 100 Gb/s reached 32 to 48 Gb/s with several (issue 450).
std::vector<std::string> socket_warnings(const PlacedJob& placed) {
  constexpr double most_seen_Bps = 6e9;
  const Scenario& scenario = placed.job.scenario();
  if (scenario.transport != "nccl_tcp") return {};
  const double bandwidth_Bps = bandwidth_between_hosts_Bps(placed);
  if (bandwidth_Bps <= most_seen_Bps) return {};
  const std::optional<double>& rate_Bps = scenario.fair.connection_rate_Bps;  // of each channel
  if (scenario.engine == Engine::fair && rate_Bps &&
      *rate_Bps * scenario.message_costs.channels < bandwidth_Bps)
    return {};
  return {fmt::format(
      "{}/transport: with several threads for sockets, NCCL was measured to reach 32 to 48 Gb/s "
      "on links of 100 Gb/s, but it is predicted to reach all {:.4g} Gb/s here: set \"goodput\" to the share "
      "that it reaches, or \"transport\" to \"nccl_ib\" if the network has RDMA",
      place_of_cluster(placed), bandwidth_Bps * 8e-9)};
}

// A lower bandwidth, or a higher latency, was likely written without its unit.
constexpr double suspicious_Bps = 1e6;
constexpr double suspicious_s = 0.1;

bool is_suspicious(const Link& link) {
  return link.bandwidth_Bps < suspicious_Bps || link.latency_s >= suspicious_s;
}

std::string bandwidth_warning(const std::string& subject, double bandwidth_Bps) {
  return fmt::format(
      "{} {:.6g} bytes per second; numbers without a unit are in bytes per second: give a unit, as in "
      "\"400Gbps\"",
      subject, bandwidth_Bps);
}

std::string latency_warning(const std::string& subject, double latency_s) {
  return fmt::format("{} {:.6g} s; numbers without a unit are in seconds: give a unit, as in \"2us\"",
                     subject, latency_s);
}

/// A warning about the first link, or cost of hosts, that is so slow that its unit was likely forgotten.
std::vector<std::string> unit_warnings(const PlacedJob& placed) {
  // Costs of hosts make links only slower.
  if (std::ranges::none_of(placed.network.links(), is_suspicious)) return {};
  const Scenario& scenario = placed.job.scenario();
  const std::string place = place_of_cluster(placed);
  const Network as_written = build_network(scenario.cluster);
  const auto link = std::ranges::find_if(as_written.links(), is_suspicious);
  if (link != as_written.links().end() && link->bandwidth_Bps < suspicious_Bps)
    return {bandwidth_warning(fmt::format("{}: the link {} has", place, link->name), link->bandwidth_Bps)};
  if (link != as_written.links().end())
    return {
        latency_warning(fmt::format("{}: the link {} has a latency of", place, link->name), link->latency_s)};
  if (scenario.host_costs.rate_Bps < suspicious_Bps)
    return {bandwidth_warning(place + "/host_rate: hosts transfer", scenario.host_costs.rate_Bps)};
  if (scenario.host_costs.latency_s >= suspicious_s)
    return {latency_warning(place + "/host_latency: hosts add", scenario.host_costs.latency_s)};
  return {};
}

}  // namespace

std::vector<std::string> traffic_warnings(const PlacedJob& placed) {
  std::vector<std::string> warnings = unit_warnings(placed);
  std::ranges::move(socket_warnings(placed), std::back_inserter(warnings));
  std::ranges::move(path_warnings(placed), std::back_inserter(warnings));
  const std::vector<Alternative> alternatives = alternatives_of(placed);
  // Without alternatives and several cards the traffic need not be found, which may take runs.
  if (alternatives.empty() && placed.network.nics_per_host() == 1) return warnings;
  const std::vector<TrafficMatrix> traffic = traffic_of_all(placed);
  std::ranges::move(neighbor_warnings(placed, traffic, alternatives), std::back_inserter(warnings));
  std::ranges::move(card_warnings(placed, traffic), std::back_inserter(warnings));
  return warnings;
}

std::vector<std::string> traffic_warnings(const ScenarioJob& job, TrafficScope scope) {
  PlacedJob placed{.job = job, .network = job.network(), .workers = {}, .scope = scope};
  placed.workers.resize(static_cast<std::size_t>(job.workers()));
  std::iota(placed.workers.begin(), placed.workers.end(), Rank{0});
  return traffic_warnings(placed);
}

void report_traffic_warnings(const ScenarioJob& job, const std::function<void(const std::string&)>& report) {
  if (!report) return;
  for (const std::string& warning : traffic_warnings(job)) report(warning);
}

}  // namespace starling
