#include "topologies/formats/graphml.hpp"

#include <fmt/ostream.h>

#include <ostream>
#include <string_view>

#include "base/reject.hpp"
#include "base/texts/number_in.hpp"
#include "topologies/formats/given_values.hpp"
#include "topologies/formats/graphml_document.hpp"

namespace starling {
namespace {

int cable_number(const std::string& text, const std::string& place) {
  const auto number = number_in<int>(text);
  if (!number || *number < 1) reject("{}: cable \"{}\"; expected the number of a cable, from 1", place, text);
  return *number;
}

GivenEdge edge_in(const XmlText& document, pugi::xml_node edge, const GraphmlAttributes& attributes,
                  const NodeNames& names) {
  const std::string place = document.place(edge);
  const std::string source = document.needed_attribute(edge, "source");
  const std::string target = document.needed_attribute(edge, "target");
  const std::string ends = fmt::format("edge {} - {}", source, target);
  const std::string bandwidth = attributes.need(edge, "bandwidth", ends);
  const std::string latency = attributes.need(edge, "latency", ends);
  return {.from = names.find(source, place),
          .to = names.find(target, place),
          .link = {given_quantity(bandwidth, Dimension::bandwidth, place, "bandwidth"),
                   given_quantity(latency, Dimension::time, place, "latency")},
          .number = cable_number(attributes.find(edge, "cable").value_or("1"), place),
          .place = place};
}

constexpr const char* header =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "  <key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
    "  <key id=\"bandwidth\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"double\"/>\n"
    "  <key id=\"latency\" for=\"edge\" attr.name=\"latency\" attr.type=\"double\"/>\n"
    "  <key id=\"cable\" for=\"edge\" attr.name=\"cable\" attr.type=\"int\"/>\n";

bool has_unequal_directions(std::span<const Link> links) {
  for (std::size_t i = 0; i < links.size(); ++i)
    if (!are_alike(links[i], link_back(links, i))) return true;
  return false;
}

void write_edge(const ExportedNetwork& network, std::size_t index, std::ostream& out) {
  const Link& link = network.links[index];
  const int number = number_of(network.links, index);
  fmt::print(out,
             "    <edge source=\"{}\" target=\"{}\"><data key=\"bandwidth\">{}</data><data "
             "key=\"latency\">{}</data>",
             xml_escaped(network.vertices[static_cast<std::size_t>(link.from_vertex)].name),
             xml_escaped(network.vertices[static_cast<std::size_t>(link.to_vertex)].name), link.bandwidth_Bps,
             link.latency_s);
  if (number > 1) fmt::print(out, "<data key=\"cable\">{}</data>", number);
  out << "</edge>\n";
}

}  // namespace

GivenNetwork network_of_graphml(const XmlText& document) {
  const pugi::xml_node graph = graph_of_graphml(document);
  const GraphmlAttributes of_nodes(document, "node", {"kind"});
  const GraphmlAttributes of_edges(document, "edge", {"bandwidth", "latency", "cable"});
  GivenNetwork network{
      .file = document.name(), .is_directed = is_directed_graph(document, graph), .nodes = {}, .edges = {}};
  NodeNames names(network);
  for (const pugi::xml_node node : graph.children("node")) {
    const std::string place = document.place(node);
    const auto is_host = given_host(of_nodes.find(node, "kind"), of_nodes.find(node, "type"), place);
    names.add({document.needed_attribute(node, "id"), is_host, place});
  }
  for (const pugi::xml_node edge : graph.children("edge")) {
    check_direction(document, edge, network.is_directed);
    network.edges.push_back(edge_in(document, edge, of_edges, names));
  }
  return network;
}

void write_graphml(const ExportedNetwork& network, std::ostream& out) {
  const bool is_directed = has_unequal_directions(network.links);
  out << header;
  fmt::print(out, "  <graph edgedefault=\"{}directed\">\n", is_directed ? "" : "un");
  for (const Vertex& vertex : network.vertices) {
    fmt::print(out, "    <node id=\"{}\"><data key=\"kind\">{}</data></node>\n", xml_escaped(vertex.name),
               vertex.kind == VertexKind::host ? "host" : "switch");
  }
  for (std::size_t i = 0; i < network.links.size(); ++i)
    if (is_directed || network.links[i].from_vertex < network.links[i].to_vertex) write_edge(network, i, out);
  out << "  </graph>\n</graphml>\n";
}

}  // namespace starling
