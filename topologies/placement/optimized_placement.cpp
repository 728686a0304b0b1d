#include "topologies/placement/optimized_placement.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/errors.hpp"
#include "base/types.hpp"

namespace starling {
namespace {

/// The most neighbors that are visited, by the construction and by the exchanges of each candidate.
constexpr std::int64_t most_visits = std::int64_t{1} << 28;

/// The factor below which a sum counts as less, in spite of rounding.
constexpr double less = 1 - 1e-9;

double s_per_byte(const Routes& routes, Rank source, Rank destination) {
  double sum = 0;
  for (const LinkIndex link : routes.route(source, destination))
    sum += 1 / routes.links()[index_of(link)].bandwidth_Bps;
  return sum;
}

/// The bytes that a block of ranks, which share a host, exchanges with another block.
struct Neighbor {
  int block = 0;
  double sent = 0;
  double received = 0;
};

/// The bytes sent, by (source block, destination block).
using BlockTraffic = std::map<std::pair<int, int>, double>;

BlockTraffic between_blocks(std::span<const TrafficRounds> of_algorithms, int workers_per_host) {
  BlockTraffic between;
  for (const TrafficRounds& rounds : of_algorithms)
    for (const TrafficMatrix& round : rounds)
      for (const RankTraffic& pair : round) {
        const int source = pair.source / workers_per_host;
        const int destination = pair.destination / workers_per_host;
        if (source != destination) between[{source, destination}] += pair.bytes;
      }
  return between;
}

/// The traffic between blocks of ranks, and its cost per byte between any two hosts.
class Mapping {
 public:
  Mapping(std::span<const TrafficRounds> of_algorithms, const PlacementSite& site, const Routes& in_blocks)
      : hosts_(site.hosts),
        neighbors_(index_of(site.hosts)),
        s_per_byte_(index_of(site.hosts) * index_of(site.hosts)) {
    const auto between = between_blocks(of_algorithms, site.workers_per_host);
    for (const auto& [pair, bytes] : between) {
      const auto& [source, destination] = pair;
      const auto back = between.find({destination, source});
      const double received = back == between.end() ? 0 : back->second;
      neighbors_[index_of(source)].push_back({destination, bytes, received});
      if (back == between.end()) neighbors_[index_of(destination)].push_back({source, 0, bytes});
    }
    for (int from = 0; from < hosts_; ++from)
      for (int to = 0; to < hosts_; ++to)
        if (from != to)
          s_per_byte_[index_of(from) * index_of(hosts_) + index_of(to)] =
              s_per_byte(in_blocks, from * site.workers_per_host, to * site.workers_per_host);
  }

  /// Greedy construction: places the block that exchanges most with those already placed on the free host
  /// where that costs least, one after the other. Empty if there are too many neighbors to visit.
  std::vector<int> construct() const {
    std::int64_t looks = 0;
    for (const auto& of_block : neighbors_) looks += hosts_ * static_cast<std::int64_t>(of_block.size());
    if (looks > most_visits) return {};
    std::vector<int> order(index_of(hosts_), -1);
    std::vector<bool> is_taken(index_of(hosts_), false);
    std::vector<double> bond(index_of(hosts_), 0);  // bytes exchanged with the blocks already placed
    for (int placed = 0; placed < hosts_; ++placed) {
      const int block = next_block(order, bond);
      const int host = best_host(block, order, is_taken);
      order[index_of(block)] = host;
      is_taken[index_of(host)] = true;
      for (const Neighbor& neighbor : neighbors_[index_of(block)])
        bond[index_of(neighbor.block)] += neighbor.sent + neighbor.received;
    }
    return order;
  }

  /// Exchanges the hosts of two blocks wherever that reduces the total, until no exchange does or most_visits
  /// is reached.
  void exchange(std::vector<int>& order) const {
    std::int64_t looks = 0;
    for (bool has_changed = true; has_changed && looks < most_visits;) {
      has_changed = false;
      for (int one = 0; one < hosts_ && looks < most_visits; ++one)
        for (int other = one + 1; other < hosts_; ++other) {
          looks += static_cast<std::int64_t>(neighbors_[index_of(one)].size() +
                                             neighbors_[index_of(other)].size()) +
                   1;
          const double before = cost_of(one, order) + cost_of(other, order);
          std::swap(order[index_of(one)], order[index_of(other)]);
          if (cost_of(one, order) + cost_of(other, order) < less * before)
            has_changed = true;
          else
            std::swap(order[index_of(one)], order[index_of(other)]);
        }
    }
  }

 private:
  double distance(int from, int to) const {
    return s_per_byte_[index_of(from) * index_of(hosts_) + index_of(to)];
  }

  /// The cost of a block's traffic with those of its neighbors that have a host. If two neighbors are
  /// exchanged, the traffic between them counts twice, both before and after.
  double cost_of(int block, const std::vector<int>& order, int host) const {
    double sum = 0;
    for (const Neighbor& neighbor : neighbors_[index_of(block)]) {
      const int there = order[index_of(neighbor.block)];
      if (there >= 0)
        sum += neighbor.sent * distance(host, there) + neighbor.received * distance(there, host);
    }
    return sum;
  }
  double cost_of(int block, const std::vector<int>& order) const {
    return cost_of(block, order, order[index_of(block)]);
  }

  int next_block(const std::vector<int>& order, const std::vector<double>& bond) const {
    int best = -1;
    for (int block = 0; block < hosts_; ++block)
      if (order[index_of(block)] < 0 && (best < 0 || bond[index_of(block)] > bond[index_of(best)]))
        best = block;
    return best;
  }

  int best_host(int block, const std::vector<int>& order, const std::vector<bool>& is_taken) const {
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int host = 0; host < hosts_; ++host) {
      if (is_taken[index_of(host)]) continue;
      const double cost = cost_of(block, order, host);
      if (best >= 0 && cost >= least) continue;
      best = host;
      least = cost;
    }
    return best;
  }

  int hosts_;
  std::vector<std::vector<Neighbor>> neighbors_;
  std::vector<double> s_per_byte_;
};

/// The same routes between hosts, with the blocks of ranks on the hosts of `order`.
class Replaced final : public Routes {
 public:
  Replaced(const Routes& in_blocks, const PlacementSite& site, std::span<const int> order)
      : in_blocks_(in_blocks), site_(site), order_(order) {}

  int workers() const override { return in_blocks_.workers(); }
  int hosts() const override { return in_blocks_.hosts(); }
  int host_of(Rank rank) const override { return order_[index_of(rank / site_.workers_per_host)]; }
  std::span<const Link> links() const override { return in_blocks_.links(); }
  /// The ranks must be on different hosts.
  std::span<const LinkIndex> route(Rank source, Rank destination) const override {
    return in_blocks_.route(host_of(source) * site_.workers_per_host,
                            host_of(destination) * site_.workers_per_host);
  }

 private:
  const Routes& in_blocks_;
  PlacementSite site_;
  std::span<const int> order_;
};

/// The sum over all algorithms of their costs relative to block placement; algorithms that send nothing
/// between hosts count 0.
PlacementCost sum_of_ratios(std::span<const PlacementCost> costs, std::span<const PlacementCost> on_blocks) {
  PlacementCost sum;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (on_blocks[i].total_s == 0) continue;
    sum.bottleneck_s += costs[i].bottleneck_s / on_blocks[i].bottleneck_s;
    sum.total_s += costs[i].total_s / on_blocks[i].total_s;
  }
  return sum;
}

/// The candidates, as the host of each block: block, snake, greedy construction, then each of them after
/// exchanges.
std::vector<std::vector<int>> tried(const Mapping& mapping, const PlacementSite& site) {
  std::vector<std::vector<int>> orders(1, std::vector<int>(index_of(site.hosts)));
  std::iota(orders.front().begin(), orders.front().end(), 0);
  if (!site.dimensions.empty()) orders.push_back(snake_order(site.dimensions));
  if (std::vector<int> constructed = mapping.construct(); !constructed.empty())
    orders.push_back(std::move(constructed));
  for (std::size_t starts = orders.size(), i = 0; i < starts; ++i) {
    std::vector<int> exchanged = orders[i];
    mapping.exchange(exchanged);
    orders.push_back(std::move(exchanged));
  }
  return orders;
}

std::vector<PlacementCost> costs_of(std::span<const TrafficRounds> of_algorithms, const PlacementSite& site,
                                    const Routes& in_blocks, std::span<const int> order) {
  const Replaced placed(in_blocks, site, order);
  std::vector<PlacementCost> costs;
  for (const TrafficRounds& rounds : of_algorithms) {
    PlacementCost& sum = costs.emplace_back();
    for (const TrafficMatrix& round : rounds) {
      const PlacementCost cost = placement_cost(round, placed);
      sum.bottleneck_s += cost.bottleneck_s;
      sum.total_s += cost.total_s;
    }
  }
  return costs;
}

}  // namespace

bool is_better(const PlacementCost& one, const PlacementCost& other) {
  if (one.bottleneck_s < less * other.bottleneck_s) return true;
  return one.bottleneck_s * less <= other.bottleneck_s && one.total_s < less * other.total_s;
}

PlacementCost placement_cost(std::span<const RankTraffic> traffic, const Routes& placed) {
  std::vector<double> taken_s(placed.links().size(), 0);
  PlacementCost cost;
  for (const RankTraffic& pair : traffic) {
    if (placed.host_of(pair.source) == placed.host_of(pair.destination)) continue;
    for (const LinkIndex link : placed.route(pair.source, pair.destination)) {
      const double time_s = pair.bytes / placed.links()[index_of(link)].bandwidth_Bps;
      taken_s[index_of(link)] += time_s;
      cost.total_s += time_s;
    }
  }
  for (const double of_link_s : taken_s) cost.bottleneck_s = std::max(cost.bottleneck_s, of_link_s);
  return cost;
}

std::vector<int> optimized_hosts(std::span<const TrafficRounds> of_algorithms, const PlacementSite& site,
                                 const Routes& in_blocks) {
  STARLING_INVARIANT(site.hosts <= most_optimized_hosts);
  const std::vector<std::vector<int>> orders = tried(Mapping(of_algorithms, site, in_blocks), site);
  const std::vector<PlacementCost> on_blocks = costs_of(of_algorithms, site, in_blocks, orders.front());
  std::size_t best = 0;
  PlacementCost least = sum_of_ratios(on_blocks, on_blocks);
  for (std::size_t i = 1; i < orders.size(); ++i) {
    const PlacementCost cost = sum_of_ratios(costs_of(of_algorithms, site, in_blocks, orders[i]), on_blocks);
    if (!is_better(cost, least)) continue;
    best = i;
    least = cost;
  }
  return blocks_on(orders[best], site);
}

}  // namespace starling
