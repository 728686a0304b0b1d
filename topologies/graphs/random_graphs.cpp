#include "topologies/graphs/random_graphs.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/numbers/pair_of.hpp"

namespace starling {
namespace {

/// The set of joined pairs of workers, unordered.
class Joined {
 public:
  bool insert(Rank one, Rank other) { return pairs_.insert(key(one, other)).second; }
  void erase(Rank one, Rank other) { pairs_.erase(key(one, other)); }
  bool contains(Rank one, Rank other) const { return pairs_.contains(key(one, other)); }

 private:
  static std::uint64_t key(Rank one, Rank other) {
    return pair_of(std::min(one, other), std::max(one, other));
  }
  std::unordered_set<std::uint64_t> pairs_;
};

void shuffle(std::vector<Rank>& ranks, const CounterRandom& random, std::uint64_t draw) {
  for (std::size_t left = ranks.size(); left > 1; --left) {
    std::swap(ranks[left - 1], ranks[random.below(left, static_cast<std::uint32_t>(left), draw)]);
  }
}

/// Whether any two of the free ends can still be joined.
bool can_continue(const std::vector<Rank>& free_ends, const Joined& joined) {
  for (std::size_t one = 0; one < free_ends.size(); ++one) {
    for (std::size_t other = one + 1; other < free_ends.size(); ++other) {
      if (free_ends[one] != free_ends[other] && !joined.contains(free_ends[one], free_ends[other])) {
        return true;
      }
    }
  }
  return false;
}

/// Joins consecutive pairs of ends if that makes a new edge; returns the ends not joined.
std::vector<Rank> join_pairs(const std::vector<Rank>& ends, Joined& joined, std::vector<GraphEdge>& edges) {
  std::vector<Rank> unpaired;
  for (std::size_t index = 0; index + 1 < ends.size(); index += 2) {
    const Rank one = ends[index];
    const Rank other = ends[index + 1];
    if (one != other && joined.insert(one, other)) {
      edges.push_back({one, other, {}});
    } else {
      unpaired.insert(unpaired.end(), {one, other});
    }
  }
  return unpaired;
}

std::optional<std::vector<GraphEdge>> paired_edges(int workers, int degree, const CounterRandom& random,
                                                   int attempt) {
  std::vector<Rank> ends;
  for (Rank rank = 0; rank < workers; ++rank) ends.insert(ends.end(), static_cast<std::size_t>(degree), rank);
  std::vector<GraphEdge> edges;
  Joined joined;
  for (int round = 0; !ends.empty(); ++round) {
    shuffle(ends, random, pair_of(attempt, round));
    std::vector<Rank> unpaired = join_pairs(ends, joined, edges);
    if (unpaired.size() == ends.size() && !can_continue(unpaired, joined)) return std::nullopt;
    ends = std::move(unpaired);
  }
  return edges;
}

std::vector<GraphEdge> complement_of(int workers, const std::vector<GraphEdge>& edges) {
  Joined joined;
  for (const GraphEdge& edge : edges) joined.insert(edge.source, edge.destination);
  std::vector<GraphEdge> others;
  for (Rank one = 0; one < workers; ++one) {
    for (Rank other = one + 1; other < workers; ++other) {
      if (!joined.contains(one, other)) others.push_back({one, other, {}});
    }
  }
  return others;
}

/// Every connected graph of degree 2 is a ring, so a random one is a ring in random order.
std::vector<GraphEdge> random_ring(int workers, const CounterRandom& random, int attempt) {
  std::vector<Rank> order(static_cast<std::size_t>(workers));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random, pair_of(attempt, 0));
  std::vector<GraphEdge> edges;
  for (std::size_t index = 0; index < order.size(); ++index) {
    edges.push_back({order[index], order[(index + 1) % order.size()], {}});
  }
  return edges;
}

}  // namespace

std::optional<std::vector<GraphEdge>> random_regular_edges(int workers, int degree,
                                                           const CounterRandom& random, int attempt) {
  if (2 * degree >= workers) {
    const auto left_out = paired_edges(workers, workers - 1 - degree, random, attempt);
    if (!left_out) return std::nullopt;
    return complement_of(workers, *left_out);
  }
  if (degree == 2) return random_ring(workers, random, attempt);
  return paired_edges(workers, degree, random, attempt);
}

std::vector<GraphEdge> small_world_edges(int workers, int neighbors, double rewiring_probability,
                                         const CounterRandom& random, int attempt) {
  Joined joined;
  std::vector<int> degrees(static_cast<std::size_t>(workers), neighbors);
  std::vector<GraphEdge> edges;
  for (int distance = 1; distance <= neighbors / 2; ++distance) {
    for (Rank rank = 0; rank < workers; ++rank) {
      edges.push_back({rank, (rank + distance) % workers, {}});
      joined.insert(rank, edges.back().destination);
    }
  }
  for (std::size_t index = 0; index < edges.size(); ++index) {
    auto& [source, destination, weight] = edges[index];
    const auto worker = static_cast<std::uint32_t>(source);
    const std::uint64_t draw = pair_of(attempt, static_cast<int>(index));
    if (random.uniform(worker, draw) >= rewiring_probability) continue;
    if (degrees[static_cast<std::size_t>(source)] >= workers - 1) continue;
    Rank moved = source;
    for (std::uint32_t trial = 1; moved == source || joined.contains(source, moved); ++trial) {
      moved = static_cast<Rank>(random.below(static_cast<std::uint64_t>(workers), worker, draw, trial));
    }
    joined.erase(source, destination);
    joined.insert(source, moved);
    --degrees[static_cast<std::size_t>(destination)];
    ++degrees[static_cast<std::size_t>(moved)];
    destination = moved;
  }
  return edges;
}

}  // namespace starling
