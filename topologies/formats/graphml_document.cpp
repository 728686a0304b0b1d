#include "topologies/formats/graphml_document.hpp"

#include <utility>

#include "base/reject.hpp"

namespace starling {

pugi::xml_node graph_of_graphml(const XmlText& document) {
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

bool is_directed_graph(pugi::xml_node graph) {
  return graph.attribute("edgedefault").value() == std::string_view("directed");
}

void check_direction(const XmlText& document, pugi::xml_node edge, bool is_directed) {
  const pugi::xml_attribute directed = edge.attribute("directed");
  if (directed && directed.as_bool() != is_directed)
    reject("{}: this edge is {}directed and the graph is {}directed", document.place(edge),
           directed.as_bool() ? "" : "un", is_directed ? "" : "un");
}

GraphmlAttributes::GraphmlAttributes(const XmlText& document, std::string_view of) : document_(document) {
  for (const pugi::xml_node key : document.root().children("key")) {
    const std::string_view owner = key.attribute("for").as_string("all");
    if (owner != of && owner != "all") continue;
    Attribute attribute{document.needed_attribute(key, "id"), {}};
    if (const pugi::xml_node otherwise = key.child("default")) attribute.otherwise = otherwise.child_value();
    by_name_[key.attribute("attr.name").value()] = std::move(attribute);
  }
}

std::optional<std::string> GraphmlAttributes::find(pugi::xml_node element, const std::string& name) const {
  const auto attribute = by_name_.find(name);
  if (attribute == by_name_.end()) return std::nullopt;
  for (const pugi::xml_node data : element.children("data"))
    if (data.attribute("key").value() == attribute->second.key) return data.child_value();
  return attribute->second.otherwise;
}

std::string GraphmlAttributes::need(pugi::xml_node element, const std::string& name,
                                    const std::string& of) const {
  const std::optional<std::string> value = find(element, name);
  if (!value) reject("{}: {} has no {}", document_.place(element), of, name);
  return *value;
}

}  // namespace starling
