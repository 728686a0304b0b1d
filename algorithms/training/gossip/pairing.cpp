#include "algorithms/training/gossip/pairing.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/bipartite.hpp>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/numbers/power_of_two.hpp"
#include "base/reject.hpp"
#include "sim/random.hpp"

namespace starling {
namespace {

using Neighbors = std::vector<std::vector<Rank>>;

Neighbors neighbors_of(const MixingSchedule& mixing) {
  Neighbors neighbors(static_cast<std::size_t>(mixing.ranks()));
  for (Rank rank = 0; rank < mixing.ranks(); ++rank) {
    std::vector<Rank>& mine = neighbors[static_cast<std::size_t>(rank)];
    for (const MixingNeighbor& other : mixing.out_neighbors(rank, 0)) mine.push_back(other.rank);
    std::ranges::sort(mine);
    std::vector<Rank> sources;
    for (const MixingNeighbor& other : mixing.in_neighbors(rank, 0)) sources.push_back(other.rank);
    std::ranges::sort(sources);
    if (mine != sources) {
      reject("rank {} does not receive from a rank that it sends to", rank);
    }
  }
  return neighbors;
}

/// The two sides of the bipartite graph: every edge joins both. The lowest rank of every connected component
/// is on the white side.
std::vector<boost::default_color_type> sides_of(const Neighbors& neighbors) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> graph(neighbors.size());
  for (std::size_t rank = 0; rank < neighbors.size(); ++rank) {
    for (const Rank other : neighbors[rank]) {
      const auto vertex = static_cast<std::size_t>(other);
      if (rank < vertex) boost::add_edge(rank, vertex, graph);
    }
  }
  const auto index = boost::get(boost::vertex_index, graph);
  std::vector<boost::default_color_type> sides(neighbors.size());
  if (boost::is_bipartite(graph, index, boost::make_iterator_property_map(sides.begin(), index)))
    return sides;
  std::vector<std::size_t> cycle;
  boost::find_odd_cycle(graph, index, std::back_inserter(cycle));
  reject("ranks {} and {} are on a cycle of odd length; the graph must be bipartite", cycle.back(),
         cycle[cycle.size() - 2]);
}

}  // namespace

Pairing::Pairing(std::vector<std::vector<Rank>> partners, std::optional<std::uint64_t> seed)
    : partners_(std::move(partners)), askers_(partners_.size()), seed_(seed) {
  for (Rank rank = 0; rank < ranks(); ++rank) {
    for (const Rank partner : all_partners(rank)) ++askers_[static_cast<std::size_t>(partner)];
  }
}

Rank Pairing::partner(Rank active, std::int64_t averaging) const {
  const std::vector<Rank>& choice = partners_[static_cast<std::size_t>(active)];
  const auto number = static_cast<std::uint64_t>(averaging);
  if (!seed_) return choice[number % choice.size()];
  const CounterRandom random(*seed_, Purpose::graph);
  return choice[random.below(choice.size(), static_cast<std::uint32_t>(active), number)];
}

std::vector<Rank> Pairing::all_partners(Rank active) const {
  std::vector<Rank> all = partners_[static_cast<std::size_t>(active)];
  std::ranges::sort(all);
  const auto [first_repeated, end] = std::ranges::unique(all);
  all.erase(first_repeated, end);
  return all;
}

Pairing Pairing::exponential(int ranks) {
  if (ranks > 1 && ranks % 2 != 0) {
    reject("there are {} workers; the published pairing needs an even number", ranks);
  }
  std::vector<std::vector<Rank>> partners(static_cast<std::size_t>(ranks));
  const int distances = ceil_log2(ranks);
  for (Rank rank = 0; rank < ranks; rank += 2) {
    for (int k = 0; k < distances; ++k) {
      const int distance = (k == 0 ? 1 : (1 << k) + 1) % ranks;
      partners[static_cast<std::size_t>(rank)].push_back((rank + distance) % ranks);
      partners[static_cast<std::size_t>(rank)].push_back((rank - distance + ranks) % ranks);
    }
  }
  return Pairing(std::move(partners));
}

Pairing Pairing::over_graph(const MixingSchedule& mixing, std::uint64_t seed) {
  Neighbors neighbors = neighbors_of(mixing);
  const auto sides = sides_of(neighbors);
  for (std::size_t rank = 0; rank < sides.size(); ++rank) {
    if (sides[rank] == boost::black_color) neighbors[rank].clear();
  }
  return Pairing(std::move(neighbors), seed);
}

}  // namespace starling
