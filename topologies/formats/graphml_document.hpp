#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/formats/xml_text.hpp"

namespace starling {

/// The only graph of a GraphML document (https://graphml.graphdrawing.org).
/// @throws std::invalid_argument with file and line if the document is not GraphML, has several graphs,
/// hyperedges, nested graphs or unexpected elements, or has data of undeclared keys.
pugi::xml_node graph_of_graphml(const XmlText& document);

/// Whether a graph is directed, by its edgedefault. @throws std::invalid_argument if that is neither
/// "directed" nor "undirected".
bool is_directed_graph(const XmlText& document, pugi::xml_node graph);

/// @throws std::invalid_argument if the attribute `directed` of an edge is not a Boolean or contradicts the
/// graph.
void check_direction(const XmlText& document, pugi::xml_node edge, bool is_directed);

/// The attributes that a GraphML document declares for its nodes or for its edges, by name.
class GraphmlAttributes {
 public:
  /// `of` is "node" or "edge"; `names` are the attributes that will be read.
  /// @throws std::invalid_argument if one of these is declared in other upper or lower case only.
  GraphmlAttributes(const XmlText& document, std::string_view of, const std::vector<std::string>& names);

  /// The value of an element's attribute, trimmed, or the declared default; nothing if there is neither.
  /// @throws std::invalid_argument if the element has it twice.
  std::optional<std::string> find(pugi::xml_node element, const std::string& name) const;
  /// The same for a required attribute; `of` is what errors call the element.
  std::string need(pugi::xml_node element, const std::string& name, const std::string& of) const;

 private:
  /// The key of an attribute in <data>, where it is declared, and its default.
  struct Attribute {
    std::string key;
    std::string place;
    std::optional<std::string> otherwise;
  };

  const XmlText& document_;
  std::map<std::string, Attribute> by_name_;
};

}  // namespace starling
