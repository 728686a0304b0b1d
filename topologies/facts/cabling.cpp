#include "topologies/facts/cabling.hpp"

#include <algorithm>
#include <cstddef>

#include "topologies/networks/wiring.hpp"

namespace starling {

Cabling::Cabling(const Network& network)
    : hosts(network.hosts()),
      vertices(network.hosts() + network.switches()),
      do_hosts_forward(network.do_hosts_forward()),
      first(first_links_of(links_of_cables(network), vertices)) {
  const std::span<const Link> links = links_of_cables(network);
  for (const Link& link : links) to.push_back(link.to_vertex);
  opposite.resize(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    // The opposite of the k-th parallel link is the k-th one back.
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
