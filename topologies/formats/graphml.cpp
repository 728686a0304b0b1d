#include "topologies/formats/graphml.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/number_in.hpp"
#include "base/reject.hpp"
#include "topologies/formats/given_values.hpp"

namespace starling {
namespace {

/// What an attribute of nodes or edges is called in <data>, and its value where there is none.
struct Attribute {
  std::string key;
  std::optional<std::string> otherwise;
};

/// The declared attributes of nodes or of edges, by their names.
class Attributes {
 public:
  Attributes(const XmlText& document, std::string_view of) : document_(document) {
    for (const pugi::xml_node key : document.root().children("key")) {
      const std::string_view owner = key.attribute("for").as_string("all");
      if (owner != of && owner != "all") continue;
      Attribute attribute{document.needed_attribute(key, "id"), {}};
      if (const pugi::xml_node otherwise = key.child("default"))
        attribute.otherwise = otherwise.child_value();
      by_name_[key.attribute("attr.name").value()] = std::move(attribute);
    }
  }

  std::optional<std::string> find(pugi::xml_node element, const std::string& name) const {
    const auto attribute = by_name_.find(name);
    if (attribute == by_name_.end()) return std::nullopt;
    for (const pugi::xml_node data : element.children("data")) {
      if (data.attribute("key").value() == attribute->second.key) return data.child_value();
    }
    return attribute->second.otherwise;
  }

  std::string need(pugi::xml_node element, const std::string& name, const std::string& of) const {
    const std::optional<std::string> value = find(element, name);
    if (!value) reject("{}: {} has no {}", document_.place(element), of, name);
    return *value;
  }

 private:
  const XmlText& document_;
  std::map<std::string, Attribute> by_name_;
};

pugi::xml_node graph_of(const XmlText& document) {
  const pugi::xml_node graph = document.root().child("graph");
  if (std::string_view(document.root().name()) != "graphml" || !graph)
    reject("{}: not GraphML: expected a <graphml> that holds a <graph>", document.place(document.root()));
  if (const pugi::xml_node second = graph.next_sibling("graph"))
    reject("{}: a second <graph>; expected one", document.place(second));
  if (const pugi::xml_node hyperedge = graph.child("hyperedge"))
    reject("{}: <hyperedge> is not supported; expected edges of two nodes", document.place(hyperedge));
  for (const pugi::xml_node node : graph.children("node")) {
    if (const pugi::xml_node nested = node.child("graph"))
      reject("{}: a <graph> inside a node is not supported", document.place(nested));
  }
  return graph;
}

int cable_number(const std::string& text, const std::string& place) {
  const auto number = number_in<int>(text);
  if (!number || *number < 1) reject("{}: cable \"{}\"; expected the number of a cable, from 1", place, text);
  return *number;
}

void check_direction(pugi::xml_node edge, const GivenNetwork& network, const std::string& place) {
  const pugi::xml_attribute directed = edge.attribute("directed");
  if (directed && directed.as_bool() != network.is_directed)
    reject("{}: this edge is {}directed and the graph is {}directed", place, directed.as_bool() ? "" : "un",
           network.is_directed ? "" : "un");
}

GivenEdge edge_in(const XmlText& document, pugi::xml_node edge, const Attributes& attributes,
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
  const pugi::xml_node graph = graph_of(document);
  const Attributes of_nodes(document, "node");
  const Attributes of_edges(document, "edge");
  GivenNetwork network{.file = document.name(),
                       .is_directed = graph.attribute("edgedefault").value() == std::string_view("directed"),
                       .nodes = {},
                       .edges = {}};
  NodeNames names(network);
  for (const pugi::xml_node node : graph.children("node")) {
    const std::string place = document.place(node);
    GivenNode given{document.needed_attribute(node, "id"), {}, place};
    if (const auto kind = of_nodes.find(node, "kind")) given.is_host = given_host(*kind, place);
    names.add(std::move(given));
  }
  for (const pugi::xml_node edge : graph.children("edge")) {
    check_direction(edge, network, document.place(edge));
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
