#include "topologies/facts/distances.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "base/mix.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {
namespace {

/// Of one host to all others.
struct FromHost {
  int farthest = 0;
  double mean_hops = 0;
  double mean_paths = 0;
  double least_paths = std::numeric_limits<double>::infinity();
};

/// Distances and numbers of shortest paths from one vertex after the other; keeps its memory.
class Search {
 public:
  explicit Search(const Cabling& cabling)
      : cabling_(cabling), distance_(index_of(cabling.vertices)), paths_(index_of(cabling.vertices)) {}

  FromHost from(int host) {
    std::fill(distance_.begin(), distance_.end(), -1);
    distance_[index_of(host)] = 0;
    paths_[index_of(host)] = 1;
    queue_.assign(1, host);
    for (std::size_t next = 0; next < queue_.size(); ++next) visit(queue_[next]);
    FromHost result;
    for (int other = 0; other < cabling_.hosts; ++other) {
      if (other == host) continue;
      result.farthest = std::max(result.farthest, distance_[index_of(other)]);
      result.mean_hops += distance_[index_of(other)];
      result.mean_paths += paths_[index_of(other)];
      result.least_paths = std::min(result.least_paths, paths_[index_of(other)]);
    }
    result.mean_hops /= cabling_.hosts - 1;
    result.mean_paths /= cabling_.hosts - 1;
    return result;
  }

 private:
  void visit(int vertex) {
    if (!cabling_.leads_on(vertex, queue_.front())) return;
    for (const int neighbor : cabling_.neighbors(vertex)) {
      int& distance = distance_[index_of(neighbor)];
      if (distance < 0) {
        distance = distance_[index_of(vertex)] + 1;
        paths_[index_of(neighbor)] = 0;
        queue_.push_back(neighbor);
      }
      if (distance == distance_[index_of(vertex)] + 1) paths_[index_of(neighbor)] += paths_[index_of(vertex)];
    }
  }

  const Cabling& cabling_;
  std::vector<int> distance_;
  std::vector<double> paths_;
  std::vector<int> queue_;
};

struct EquivalentHosts {
  int hosts;

  bool operator()(const FatTreeOptions& options) const {
    if (options.k)
      return 4 * static_cast<std::int64_t>(hosts) == std::int64_t{*options.k} * *options.k * *options.k;
    std::int64_t ports = 1;
    for (const FatTreeLevel& level : options.levels) ports *= level.down;
    return ports == hosts;
  }
  bool operator()(const LeafSpineOptions& options) const { return hosts % options.hosts_per_leaf == 0; }
  template <typename Options>
  bool operator()(const Options&) const {
    return std::is_same_v<Options, StarOptions> || std::is_same_v<Options, RingOptions> ||
           std::is_same_v<Options, TorusOptions> || std::is_same_v<Options, HypercubeOptions> ||
           std::is_same_v<Options, CompleteOptions>;
  }
};

/// How many hosts to begin from.
int sources_of(const Cabling& cabling, bool are_equivalent, std::int64_t most_looks) {
  constexpr std::int64_t least_sources = 16;
  if (are_equivalent) return 1;
  const auto links = static_cast<std::int64_t>(cabling.to.size() + index_of(cabling.vertices));
  return static_cast<int>(std::min<std::int64_t>(cabling.hosts, std::max(least_sources, most_looks / links)));
}

/// Links that a flow of whole units uses, and where a path is looked for that it leaves.
class UnitFlow {
 public:
  explicit UnitFlow(const Cabling& cabling)
      : cabling_(cabling), is_used_(cabling.to.size(), false), came_by_(index_of(cabling.vertices)) {}

  /// Adds a path, if there is one more.
  bool augment(int source, int destination) {
    std::fill(came_by_.begin(), came_by_.end(), unseen);
    came_by_[index_of(source)] = begin;
    queue_.assign(1, source);
    for (std::size_t next = 0; next < queue_.size() && came_by_[index_of(destination)] == unseen; ++next)
      visit(queue_[next]);
    if (came_by_[index_of(destination)] == unseen) return false;
    for (int vertex = destination; vertex != source;) {
      const int link = came_by_[index_of(vertex)];
      const int back = cabling_.opposite[index_of(link)];
      if (is_used_[index_of(back)])
        is_used_[index_of(back)] = false;  // what goes there is taken back
      else
        is_used_[index_of(link)] = true;
      vertex = cabling_.to[index_of(back)];
    }
    return true;
  }

 private:
  static constexpr int unseen = -1;
  static constexpr int begin = -2;

  void visit(int vertex) {
    if (!cabling_.leads_on(vertex, queue_.front())) return;
    for (int link = cabling_.first[index_of(vertex)]; link < cabling_.first[index_of(vertex) + 1]; ++link) {
      const int neighbor = cabling_.to[index_of(link)];
      if (is_used_[index_of(link)] || came_by_[index_of(neighbor)] != unseen) continue;
      came_by_[index_of(neighbor)] = link;
      queue_.push_back(neighbor);
    }
  }

  const Cabling& cabling_;
  std::vector<bool> is_used_;
  std::vector<int> came_by_;
  std::vector<int> queue_;
};

/// The switch of a host that has one cable.
std::optional<int> switch_of(const Cabling& cabling, int host) {
  if (cabling.degree(host) != 1 || cabling.neighbors(host)[0] < cabling.hosts) return std::nullopt;
  return cabling.neighbors(host)[0];
}

/// What follows from hosts that are a sample; `squares` is the mean of their squared mean hops.
void note_sampling(const Network& network, double squares, DistanceFacts& facts) {
  facts.over = MeanOver::sampled_hosts;
  facts.diameter = network.diameter();
  const double variance =
      std::max(0.0, squares - facts.mean_hops * facts.mean_hops) * facts.sources / (facts.sources - 1);
  const double share_left = 1 - static_cast<double>(facts.sources) / network.hosts();
  facts.mean_hops_standard_error = std::sqrt(variance / facts.sources * share_left);
}

/// A rank on each host.
std::vector<Rank> ranks_on_hosts(const Network& network) {
  std::vector<Rank> ranks(index_of(network.hosts()));
  for (Rank rank = network.workers() - 1; rank >= 0; --rank) ranks[index_of(network.host_of(rank))] = rank;
  return ranks;
}

/// Between the switches of two hosts, if those are two.
std::optional<int> paths_between_switches(const Cabling& cabling, int source, int destination) {
  const auto from = switch_of(cabling, source);
  const auto to = switch_of(cabling, destination);
  if (!from || !to || *from == *to) return std::nullopt;
  return edge_connectivity(cabling, *from, *to);
}

}  // namespace

bool has_equivalent_hosts(const ClusterOptions& cluster, int hosts) {
  return std::visit(EquivalentHosts{hosts}, cluster.network.kind);
}

DistanceFacts distance_facts(const ClusterOptions& cluster, const Network& network, const Cabling& cabling,
                             std::int64_t most_looks) {
  const bool are_equivalent = has_equivalent_hosts(cluster, network.hosts());
  const int sources = sources_of(cabling, are_equivalent, most_looks);
  DistanceFacts facts{.sources = sources, .least_shortest_paths = std::numeric_limits<double>::infinity()};
  Search search(cabling);
  double squares = 0;
  for (std::int64_t i = 0; i < sources; ++i) {
    const FromHost found = search.from(static_cast<int>(i * cabling.hosts / sources));
    facts.diameter = std::max(facts.diameter, found.farthest);
    facts.mean_hops += found.mean_hops / sources;
    squares += found.mean_hops * found.mean_hops / sources;
    facts.mean_shortest_paths += found.mean_paths / sources;
    facts.least_shortest_paths = std::min(facts.least_shortest_paths, found.least_paths);
  }
  if (are_equivalent) facts.over = MeanOver::one_host;
  if (!are_equivalent && sources < cabling.hosts) note_sampling(network, squares, facts);
  return facts;
}

std::optional<RouteLengths> route_lengths(const Network& network) {
  constexpr std::uint64_t most_pairs = 20'000;
  if (network.takes_shortest_paths()) return std::nullopt;
  const auto is_cable = [cables = links_of_cables(network).size()](LinkIndex link) {
    return index_of(link) < cables;
  };
  const std::vector<Rank> ranks = ranks_on_hosts(network);
  const auto hosts = static_cast<std::uint64_t>(network.hosts());
  RouteLengths result{.is_sample = hosts * hosts > most_pairs};
  for (std::uint64_t i = 0; i < (result.is_sample ? most_pairs : hosts * hosts); ++i) {
    const std::uint64_t source = result.is_sample ? mix(2 * i + 1) % hosts : i / hosts;
    const std::uint64_t destination = result.is_sample ? mix(2 * i + 2) % hosts : i % hosts;
    if (source == destination) continue;
    const auto route = network.route(ranks[source], ranks[destination]);
    const auto links = static_cast<int>(std::ranges::count_if(route, is_cable));
    ++result.pairs;
    result.mean_links += links;
    result.longest = std::max(result.longest, links);
  }
  result.mean_links /= std::max(1, result.pairs);
  return result;
}

int edge_connectivity(const Cabling& cabling, int source, int destination) {
  UnitFlow flow(cabling);
  int paths = 0;
  const int most = std::min(cabling.degree(source), cabling.degree(destination));
  while (paths < most && flow.augment(source, destination)) ++paths;
  return paths;
}

DisjointPaths disjoint_paths(const Cabling& cabling, int most_pairs, std::int64_t most_looks) {
  DisjointPaths result;
  int pairs_of_switches = 0;
  std::int64_t looks = 0;
  const auto hosts = static_cast<std::uint64_t>(cabling.hosts);
  for (std::uint64_t i = 0; result.pairs < most_pairs && looks < most_looks; ++i) {
    const int source = static_cast<int>(mix(2 * i + 1) % hosts);
    const int destination = static_cast<int>(mix(2 * i + 2) % hosts);
    if (source == destination) continue;
    const int paths = edge_connectivity(cabling, source, destination);
    const std::optional<int> of_switches = paths_between_switches(cabling, source, destination);
    looks += static_cast<std::int64_t>(cabling.to.size()) * (paths + of_switches.value_or(0));
    ++result.pairs;
    result.between_hosts += paths;
    result.between_switches += of_switches.value_or(0);
    pairs_of_switches += of_switches ? 1 : 0;
  }
  result.between_hosts /= std::max(1, result.pairs);
  result.between_switches /= std::max(1, pairs_of_switches);
  return result;
}

}  // namespace starling
