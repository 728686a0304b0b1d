#include "topologies/facts/cabling.hpp"

#include <algorithm>
#include <cstddef>

namespace starling {

std::span<const Link> links_of_cables(const Network& network) {
  const int vertices = network.hosts() + network.switches();
  const auto is_cable = [vertices](const Link& link) {
    return link.from_vertex < vertices && link.to_vertex < vertices;
  };
  const std::span<const Link> all = network.links();
  return all.first(static_cast<std::size_t>(std::ranges::find_if_not(all, is_cable) - all.begin()));
}

Cabling::Cabling(const Network& network)
    : hosts(network.hosts()),
      vertices(network.hosts() + network.switches()),
      do_hosts_forward(network.do_hosts_forward()),
      first(index_of(vertices) + 1, 0) {
  const std::span<const Link> links = links_of_cables(network);
  for (const Link& link : links) {
    ++first[index_of(link.from_vertex) + 1];
    to.push_back(link.to_vertex);
  }
  for (std::size_t vertex = 1; vertex < first.size(); ++vertex) first[vertex] += first[vertex - 1];
  opposite.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    // The k-th of parallel links has the k-th back as its opposite.
    const int parallel = static_cast<int>(i) - first_between(links[i].from_vertex, links[i].to_vertex);
    opposite[i] = first_between(links[i].to_vertex, links[i].from_vertex) + parallel;
  }
}

int Cabling::first_between(int vertex, int neighbor) const {
  const auto begin = to.begin() + first[index_of(vertex)];
  const auto end = to.begin() + first[index_of(vertex) + 1];
  return static_cast<int>(std::lower_bound(begin, end, neighbor) - to.begin());
}

}  // namespace starling
