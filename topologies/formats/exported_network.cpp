#include "topologies/formats/exported_network.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace starling {

bool are_alike(const Link& one, const Link& other) {
  return one.bandwidth_Bps == other.bandwidth_Bps && one.latency_s == other.latency_s;
}

int number_of(std::span<const Link> links, std::size_t index) {
  int number = 1;
  for (std::size_t before = index; before-- > 0 && links[before].from_vertex == links[index].from_vertex &&
                                   links[before].to_vertex == links[index].to_vertex;)
    ++number;
  return number;
}

const Link& link_back(std::span<const Link> links, std::size_t index) {
  const auto ends = std::pair(links[index].to_vertex, links[index].from_vertex);
  const auto first = std::ranges::lower_bound(
      links, ends, {}, [](const Link& link) { return std::pair(link.from_vertex, link.to_vertex); });
  return first[number_of(links, index) - 1];
}

}  // namespace starling
