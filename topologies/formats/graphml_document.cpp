#include "topologies/formats/graphml_document.hpp"

#include <set>
#include <utility>

#include "base/reject.hpp"
#include "base/texts/plain_text.hpp"
#include "topologies/formats/given_values.hpp"

namespace starling {
namespace {

/// A child element, or text, that has none of these names.
pugi::xml_node stranger_among(pugi::xml_node element, const std::set<std::string_view>& names) {
  return element.find_child([&](pugi::xml_node child) { return !names.contains(child.name()); });
}

/// Rejects nested graphs and data of undeclared keys in a node or an edge.
void check_element(const XmlText& document, pugi::xml_node element, const std::set<std::string_view>& keys) {
  if (const pugi::xml_node nested = element.child("graph"))
    reject("{}: a <graph> inside {} is not supported", document.place(nested),
           std::string_view(element.name()) == "edge" ? "an edge" : "a node");
  for (const pugi::xml_node data : element.children("data"))
    if (const char* key = data.attribute("key").value(); !keys.contains(key))
      reject("{}: data of \"{}\"; expected the id of a <key> of the file", document.place(data), key);
}

void check_elements(const XmlText& document, pugi::xml_node graph) {
  std::set<std::string_view> keys;
  for (const pugi::xml_node key : document.root().children("key")) keys.insert(key.attribute("id").value());
  for (const char* kind : {"node", "edge"})
    for (const pugi::xml_node element : graph.children(kind)) check_element(document, element, keys);
}

}  // namespace

pugi::xml_node graph_of_graphml(const XmlText& document) {
  const pugi::xml_node graph = document.root().child("graph");
  if (std::string_view(document.root().name()) != "graphml" || !graph)
    reject("{}: not GraphML: expected a <graphml> that holds a <graph>", document.place(document.root()));
  if (const pugi::xml_node second = graph.next_sibling("graph"))
    reject("{}: a second <graph>; expected one", document.place(second));
  if (const pugi::xml_node hyperedge = graph.child("hyperedge"))
    reject("{}: <hyperedge> is not supported; expected edges of two nodes", document.place(hyperedge));
  if (const pugi::xml_node other = stranger_among(document.root(), {"key", "graph", "data", "desc"}))
    reject("{}: {} is not supported; expected key and graph", document.place(other), shown(other));
  if (const pugi::xml_node other = stranger_among(graph, {"node", "edge", "data", "desc"}))
    reject("{}: {} is not supported; expected node and edge", document.place(other), shown(other));
  check_elements(document, graph);
  return graph;
}

bool is_directed_graph(const XmlText& document, pugi::xml_node graph) {
  const std::string direction = document.needed_attribute(graph, "edgedefault");
  if (direction != "directed" && direction != "undirected")
    reject("{}: edgedefault \"{}\"; expected \"directed\" or \"undirected\"", document.place(graph),
           direction);
  return direction == "directed";
}

void check_direction(const XmlText& document, pugi::xml_node edge, bool is_directed) {
  const pugi::xml_attribute directed = edge.attribute("directed");
  const std::string_view text = directed.value();
  if (directed && text != "true" && text != "false" && text != "1" && text != "0")
    reject("{}: directed \"{}\" of an edge; expected \"true\" or \"false\"", document.place(edge), text);
  if (directed && directed.as_bool() != is_directed)
    reject("{}: this edge is {}directed and the graph is {}directed", document.place(edge),
           directed.as_bool() ? "" : "un", is_directed ? "" : "un");
}

GraphmlAttributes::GraphmlAttributes(const XmlText& document, std::string_view of,
                                     const std::vector<std::string>& names)
    : document_(document) {
  for (const pugi::xml_node key : document.root().children("key")) {
    const std::string_view owner = key.attribute("for").as_string("all");
    if (owner != of && owner != "all") continue;
    Attribute attribute{document.needed_attribute(key, "id"), document.place(key), {}};
    if (const pugi::xml_node otherwise = key.child("default"))
      attribute.otherwise = trimmed(otherwise.child_value());
    by_name_[key.attribute("attr.name").value()] = std::move(attribute);
  }
  for (const std::string& name : names)
    for (const auto& [given, attribute] : by_name_)
      if (!by_name_.contains(name) && differ_in_case(given, name))
        reject("{}: attribute \"{}\"; expected \"{}\"", attribute.place, given, name);
}

std::optional<std::string> GraphmlAttributes::find(pugi::xml_node element, const std::string& name) const {
  const auto attribute = by_name_.find(name);
  if (attribute == by_name_.end()) return std::nullopt;
  std::optional<std::string> found;
  for (const pugi::xml_node data : element.children("data")) {
    if (data.attribute("key").value() != attribute->second.key) continue;
    if (found) reject("{}: a second {}; expected one", document_.place(data), name);
    found = trimmed(data.child_value());
  }
  return found ? found : attribute->second.otherwise;
}

std::string GraphmlAttributes::need(pugi::xml_node element, const std::string& name,
                                    const std::string& of) const {
  const std::optional<std::string> value = find(element, name);
  if (!value) reject("{}: {} has no {}", document_.place(element), of, name);
  return *value;
}

}  // namespace starling
