#include "topologies/facts/distances.hpp"

#include <algorithm>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/numbers/mix.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {
namespace {

/// Distances from one host to all others.
struct FromHost {
  int farthest = 0;
  double mean_hops = 0;
  double mean_paths = 0;
  double least_paths = std::numeric_limits<double>::infinity();
};

/// Breadth-first search for distances and numbers of shortest paths; reuses its memory from one source to the
/// next.
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

/// The number of source hosts.
int sources_of(const Cabling& cabling, bool are_equivalent, std::int64_t most_visits) {
  constexpr std::int64_t least_sources = 16;
  if (are_equivalent) return 1;
  const auto links = static_cast<std::int64_t>(cabling.to.size() + index_of(cabling.vertices));
  return static_cast<int>(
      std::min<std::int64_t>(cabling.hosts, std::max(least_sources, most_visits / links)));
}

/// Maximum flows with unit capacities between two vertices; reuses most of its memory.
class UnitFlow {
 public:
  explicit UnitFlow(const Cabling& cabling)
      : cabling_(cabling),
        graph_(graph_of(cabling)),
        left_(cabling.to.size()),
        came_by_(index_of(cabling.vertices)),
        trees_(came_by_.size()),
        distance_(came_by_.size()) {
    const std::vector<Edge> edges(boost::edges(graph_).first, boost::edges(graph_).second);
    for (const int link : cabling.opposite) opposite_.push_back(edges[index_of(link)]);
  }

  int between(int source, int destination) {
    const auto capacity = [&](const Edge& edge) {
      return cabling_.leads_on(boost::source(edge, graph_), source) ? 1 : 0;
    };
    const auto of_edge = [&](auto& values) {
      return boost::make_iterator_property_map(values.begin(), boost::get(boost::edge_index, graph_));
    };
    const auto vertices = boost::get(boost::vertex_index, graph_);
    const auto of_vertex = [&](auto& values) {
      return boost::make_iterator_property_map(values.begin(), vertices);
    };
    return boost::boykov_kolmogorov_max_flow(
        graph_, boost::make_function_property_map<Edge>(capacity), of_edge(left_), of_edge(opposite_),
        of_vertex(came_by_), of_vertex(trees_), of_vertex(distance_), vertices, source, destination);
  }

 private:
  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                   boost::no_property, int, int>;
  using Edge = boost::graph_traits<Graph>::edge_descriptor;

  static Graph graph_of(const Cabling& cabling) {
    std::vector<std::pair<int, int>> links;
    for (int vertex = 0; vertex < cabling.vertices; ++vertex)
      for (const int neighbor : cabling.neighbors(vertex)) links.emplace_back(vertex, neighbor);
    return Graph(boost::edges_are_sorted, links.begin(), links.end(), cabling.vertices);
  }

  const Cabling& cabling_;
  Graph graph_;
  std::vector<Edge> opposite_;
  std::vector<int> left_;  // residual capacity of each link
  std::vector<Edge> came_by_;
  std::vector<boost::default_color_type> trees_;
  std::vector<int> distance_;
};

/// The switch of a host that has one cable; nothing for other hosts.
std::optional<int> switch_of(const Cabling& cabling, int host) {
  if (cabling.degree(host) != 1 || cabling.neighbors(host)[0] < cabling.hosts) return std::nullopt;
  return cabling.neighbors(host)[0];
}

/// Notes that the hosts are a sample, and the standard error that follows; `squares` is the mean of the
/// squares of their mean hops.
void note_sampling(const Network& network, double squares, DistanceFacts& facts) {
  facts.over = MeanOver::sampled_hosts;
  facts.diameter = network.diameter();
  const double variance =
      std::max(0.0, squares - facts.mean_hops * facts.mean_hops) * facts.sources / (facts.sources - 1);
  const double share_left = 1 - static_cast<double>(facts.sources) / network.hosts();
  facts.mean_hops_standard_error = std::sqrt(variance / facts.sources * share_left);
}

/// The lowest rank on each host.
std::vector<Rank> ranks_on_hosts(const Network& network) {
  std::vector<Rank> ranks(index_of(network.hosts()));
  for (Rank rank = network.workers() - 1; rank >= 0; --rank) ranks[index_of(network.host_of(rank))] = rank;
  return ranks;
}

/// The number of disjoint paths between the switches of two hosts, if these are different.
std::optional<int> paths_between_switches(const Cabling& cabling, UnitFlow& flow, int source,
                                          int destination) {
  const auto from = switch_of(cabling, source);
  const auto to = switch_of(cabling, destination);
  if (!from || !to || *from == *to) return std::nullopt;
  return flow.between(*from, *to);
}

}  // namespace

bool has_equivalent_hosts(const ClusterOptions& cluster, int hosts) {
  const bool has_lost_cables = std::ranges::any_of(cluster.network.overrides, &LinkOverride::removes_cables);
  return !has_lost_cables && std::visit(EquivalentHosts{hosts}, cluster.network.kind);
}

DistanceFacts distance_facts(const ClusterOptions& cluster, const Network& network, const Cabling& cabling,
                             std::int64_t most_visits) {
  const bool are_equivalent = has_equivalent_hosts(cluster, network.hosts());
  const int sources = sources_of(cabling, are_equivalent, most_visits);
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

DisjointPaths disjoint_paths(const Cabling& cabling, int most_pairs, std::int64_t most_visits) {
  DisjointPaths result;
  UnitFlow flow(cabling);
  int pairs_of_switches = 0;
  double between_switches = 0;
  std::int64_t looks = 0;
  const auto hosts = static_cast<std::uint64_t>(cabling.hosts);
  for (std::uint64_t i = 0; result.pairs < most_pairs && looks < most_visits; ++i) {
    const int source = static_cast<int>(mix(2 * i + 1) % hosts);
    const int destination = static_cast<int>(mix(2 * i + 2) % hosts);
    if (source == destination) continue;
    const int paths = flow.between(source, destination);
    const std::optional<int> of_switches = paths_between_switches(cabling, flow, source, destination);
    looks += static_cast<std::int64_t>(cabling.to.size()) * (paths + of_switches.value_or(0));
    ++result.pairs;
    result.between_hosts += paths;
    between_switches += of_switches.value_or(0);
    pairs_of_switches += of_switches ? 1 : 0;
  }
  result.between_hosts /= std::max(1, result.pairs);
  if (pairs_of_switches > 0) result.between_switches = between_switches / pairs_of_switches;
  return result;
}

}  // namespace starling
