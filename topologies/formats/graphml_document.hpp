#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/formats/xml_text.hpp"

namespace starling {

/// The one graph of a GraphML document, https://graphml.graphdrawing.org.
/// @throws std::invalid_argument with file and line if it is something else, has hyperedges, nested graphs or
/// elements that GraphML does not have there, or data of keys that it does not declare.
pugi::xml_node graph_of_graphml(const XmlText& document);

/// By its edgedefault. @throws std::invalid_argument if that is neither "directed" nor "undirected".
bool is_directed_graph(const XmlText& document, pugi::xml_node graph);

/// @throws std::invalid_argument if an edge says of itself what is not true of the graph, or neither true nor
/// false.
void check_direction(const XmlText& document, pugi::xml_node edge, bool is_directed);

/// The attributes that a GraphML document declares for nodes or for edges, by their names.
class GraphmlAttributes {
 public:
  /// `of`: "node" or "edge". `names`: of the attributes that will be asked for.
  /// @throws std::invalid_argument if one of these is there in another case only.
  GraphmlAttributes(const XmlText& document, std::string_view of, const std::vector<std::string>& names);

  /// What an element has of that name, without blanks around it, or the default; nothing if there is neither.
  /// @throws std::invalid_argument if it has it twice.
  std::optional<std::string> find(pugi::xml_node element, const std::string& name) const;
  /// The same of what must be there; `of` is what errors call the element.
  std::string need(pugi::xml_node element, const std::string& name, const std::string& of) const;

 private:
  /// What an attribute is called in <data>, and its value where there is none.
  struct Attribute {
    std::string key;
    std::string place;
    std::optional<std::string> otherwise;
  };

  const XmlText& document_;
  std::map<std::string, Attribute> by_name_;
};

}  // namespace starling
