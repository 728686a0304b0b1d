#include "analysis/running/traffic_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/running/network_facts.hpp"
#include "topologies/placement/optimized_placement.hpp"

namespace starling {
namespace {

/// What is sent between ranks that are next to each other, the last one and the first included.
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

/// The network with other places for the ranks, those of a host together.
struct Alternative {
  std::string placement;
  Network network;
};

/// Whether a warning is worth finding out what the algorithm sends.
bool is_cheap(const ScenarioJob& job, std::size_t index) {
  constexpr int most_workers_of_run = 256;
  return job.workers() <= most_workers_of_run || !job.run(index).algorithm.only_traffic().empty();
}

std::vector<Alternative> alternatives_of(const ScenarioJob& job) {
  std::vector<Alternative> alternatives;
  const auto sizes = job.network().dimensions();
  const bool has_rows = std::ranges::count_if(sizes, [](int size) { return size > 1; }) > 1;
  const ClusterOptions& cluster = job.scenario().cluster;
  for (const char* name : {"block", "snake"}) {
    const bool is_usable = std::string_view(name) == "block" ? !is_block(cluster.placement) : has_rows;
    if (!is_usable || (cluster.placement.hosts.empty() && cluster.placement.name == name)) continue;
    ClusterOptions other = cluster;
    other.placement = {.name = name};
    alternatives.push_back({name, network_of(other, job.scenario().host_costs)});
  }
  return alternatives;
}

/// By how much less the busiest link carries of what an algorithm sends to neighbors in the best alternative,
/// and its name; nothing if that is not worth a word. There must be an alternative.
std::optional<std::pair<double, std::string>> gain_of_placement(
    const ScenarioJob& job, std::size_t index, const std::vector<Alternative>& alternatives) {
  // Less is not worth a word, or is another pattern: halving and doubling sends half of all to one neighbor.
  constexpr double least_factor = 1.05;
  constexpr double least_share = 0.75;
  if (!is_cheap(job, index)) return std::nullopt;
  const TrafficMatrix traffic = job.traffic(index);
  const TrafficMatrix neighbors = between_neighbors(traffic, job.workers());
  if (neighbors.empty() || bytes_of(neighbors) <= least_share * bytes_of(traffic)) return std::nullopt;
  std::vector<double> bottlenecks_s;
  for (const Alternative& other : alternatives)
    bottlenecks_s.push_back(placement_cost(neighbors, other.network).bottleneck_s);
  const auto best = std::ranges::min_element(bottlenecks_s);
  const double factor = placement_cost(neighbors, job.network()).bottleneck_s / *best;
  if (*best == 0 || factor < least_factor) return std::nullopt;
  return std::pair(factor, alternatives[static_cast<std::size_t>(best - bottlenecks_s.begin())].placement);
}

std::vector<std::string> neighbor_warnings(const ScenarioJob& job) {
  const std::vector<Alternative> alternatives = alternatives_of(job);
  if (alternatives.empty()) return {};  // before anything is run to find out what is sent
  std::map<std::string, std::vector<std::string>> labels_by_gain;
  for (std::size_t i = 0; i < job.scenario().algorithms.size(); ++i)
    if (const auto gain = gain_of_placement(job, i, alternatives))
      labels_by_gain[fmt::format("{:.3g} times as much as with \"placement\": \"{}\"", gain->first,
                                 gain->second)]
          .push_back(job.scenario().algorithms[i].label);
  std::vector<std::string> warnings;
  for (const auto& [gain, labels] : labels_by_gain)
    warnings.push_back(
        fmt::format("{}: /cluster/placement: neighboring ranks, which exchange most of what {} sends, share "
                    "links: the busiest one carries {}",
                    job.scenario().file.string(), fmt::join(labels, ", "), gain));
  return warnings;
}

/// By how much more the busiest card of a host has to take in than all do on average.
double unevenness_of_cards(const TrafficMatrix& traffic, const Network& network) {
  const auto cards = static_cast<std::size_t>(network.nics_per_host());
  std::vector<double> bytes(static_cast<std::size_t>(network.hosts()) * cards);
  double all = 0;
  for (const RankTraffic& pair : traffic) {
    const int host = network.host_of(pair.destination);
    if (network.host_of(pair.source) == host) continue;
    bytes[static_cast<std::size_t>(host) * cards +
          static_cast<std::size_t>(network.nic_of(pair.destination))] += pair.bytes;
    all += pair.bytes;
  }
  if (all == 0) return 1;
  return std::ranges::max(bytes) * static_cast<double>(bytes.size()) / all;
}

std::vector<std::string> card_warnings(const ScenarioJob& job) {
  constexpr double least_factor = 2;
  const Network& network = job.network();
  if (network.nics_per_host() == 1) return {};
  std::vector<std::string> labels;
  double greatest = 0;
  for (std::size_t i = 0; i < job.scenario().algorithms.size(); ++i) {
    const double factor = is_cheap(job, i) ? unevenness_of_cards(job.traffic(i), network) : 1;
    if (factor < least_factor) continue;
    labels.push_back(job.scenario().algorithms[i].label);
    greatest = std::max(greatest, factor);
  }
  if (labels.empty()) return {};
  return {fmt::format(
      "{}: /cluster/nics_per_host: of what {} sends, one of {} network cards of a host takes in {:.3g} "
      "times as much as all do on average; NCCL has a ring for each card, which take what one takes over one "
      "card that is as fast as all: a network of such cards predicts them; all-reduces by \"hierarchical\" "
      "use all cards alike",
      job.scenario().file.string(), fmt::join(labels, ", "), network.nics_per_host(), greatest)};
}

}  // namespace

std::vector<std::string> traffic_warnings(const ScenarioJob& job) {
  std::vector<std::string> warnings = neighbor_warnings(job);
  std::ranges::move(card_warnings(job), std::back_inserter(warnings));
  return warnings;
}

}  // namespace starling
