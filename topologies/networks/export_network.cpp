#include "topologies/networks/export_network.hpp"

#include <fmt/ranges.h>

#include <cstddef>

#include "base/reject.hpp"
#include "topologies/formats/dot.hpp"
#include "topologies/formats/graphml.hpp"
#include "topologies/formats/platform.hpp"

namespace starling {
namespace {

ExportedNetwork parts_of(const Network& network) {
  const int vertices = network.hosts() + network.switches();
  const std::span<const Link> links = links_of_cables(network);
  return {.vertices = network.vertices().first(static_cast<std::size_t>(vertices)),
          .links = {links.begin(), links.end()}};
}

std::vector<std::string> worker_names(const Network& network) {
  std::vector<std::string> names;
  for (Rank rank = 0; rank < network.workers(); ++rank)
    names.push_back(network.vertices()[static_cast<std::size_t>(network.worker_vertex(rank))].name);
  return names;
}

}  // namespace

std::vector<std::string> export_formats() { return {"graphml", "dot", "simgrid"}; }

void export_network(const Network& network, std::string_view format, std::ostream& out) {
  if (format == "graphml") return write_graphml(parts_of(network), out);
  if (format == "dot") return write_dot(parts_of(network), out);
  if (format == "simgrid") return write_platform(network, worker_names(network), out);
  reject("no format \"{}\"; there are {}", format, fmt::join(export_formats(), ", "));
}

}  // namespace starling
