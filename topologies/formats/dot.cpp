#include "topologies/formats/dot.hpp"

#include <fmt/ostream.h>

#include <ostream>
#include <string>

namespace starling {
namespace {

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char character : name) {
    if (character == '"' || character == '\\') text += '\\';
    text += character;
  }
  return text + "\"";
}

std::string label_of(const Link& link) {
  return fmt::format("{:g} GB/s, {:g} us", link.bandwidth_Bps / 1e9, link.latency_s * 1e6);
}

}  // namespace

void write_dot(const ExportedNetwork& network, std::ostream& out) {
  const auto name_of = [&](int vertex) {
    return quoted(network.vertices[static_cast<std::size_t>(vertex)].name);
  };
  out << "graph network {\n  node [shape=box];\n";
  for (const Vertex& vertex : network.vertices)
    fmt::print(out, "  {}{};\n", quoted(vertex.name),
               vertex.kind == VertexKind::host ? " [shape=ellipse]" : "");
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    const Link& link = network.links[i];
    if (link.from_vertex > link.to_vertex) continue;
    const Link& back = link_back(network.links, i);
    const std::string label =
        are_alike(link, back) ? label_of(link) : label_of(link) + "\\n" + label_of(back);
    fmt::print(out, "  {} -- {} [label=\"{}\"];\n", name_of(link.from_vertex), name_of(link.to_vertex),
               label);
  }
  out << "}\n";
}

}  // namespace starling
