#include "topologies/layouts/fabric.hpp"

#include <fmt/format.h>

namespace starling {

void append_vertices(Fabric& fabric, VertexKind kind, int count, const std::string& prefix) {
  fabric.vertices.reserve(fabric.vertices.size() + static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index) {
    fabric.vertices.push_back({kind, fmt::format("{}{}", prefix, index)});
  }
}

Fabric hosts_on_switches(int hosts, int hosts_per_switch, const LinkOptions& link, int switches,
                         const std::string& prefix) {
  Fabric fabric;
  fabric.hosts = hosts;
  append_vertices(fabric, VertexKind::host, hosts, "host");
  append_vertices(fabric, VertexKind::network_switch, switches, prefix);
  for (int host = 0; host < hosts; ++host)
    fabric.cables.push_back({host, hosts + host / hosts_per_switch, link});
  return fabric;
}

}  // namespace starling
