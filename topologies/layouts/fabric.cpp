#include "topologies/layouts/fabric.hpp"

#include <fmt/format.h>

namespace starling {

void append_vertices(Fabric& fabric, VertexKind kind, int count, const std::string& prefix) {
  fabric.vertices.reserve(fabric.vertices.size() + static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index) {
    fabric.vertices.push_back({kind, fmt::format("{}{}", prefix, index)});
  }
}

}  // namespace starling
