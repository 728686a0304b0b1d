#include "topologies/graphs/graph_file.hpp"

#include <cstddef>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/number_in.hpp"
#include "base/reject.hpp"
#include "topologies/formats/graphml_document.hpp"
#include "topologies/graphs/graphml_ranks.hpp"
#include "topologies/graphs/stored_graph.hpp"

namespace starling {
namespace {

template <typename Number>
Number parse(std::string_view word, const std::string& place, std::string_view meaning) {
  const auto number = number_in<Number>(word);
  if (!number) reject("{}: \"{}\" is not {}", place, word, meaning);
  return *number;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

GraphEdge edge_of(const std::vector<std::string>& words, const std::string& place) {
  if (words.size() != 2 && words.size() != 3) {
    reject("{}: expected \"source destination [weight]\", got {} words", place, words.size());
  }
  GraphEdge edge;
  edge.source = parse<Rank>(words[0], place, "a rank");
  edge.destination = parse<Rank>(words[1], place, "a rank");
  if (words.size() == 3) edge.weight = parse<double>(words[2], place, "a weight");
  return edge;
}

std::unique_ptr<CommunicationGraph> connected_graph(int workers, const std::string& name,
                                                    std::vector<GraphEdge> edges) {
  auto graph = std::make_unique<StoredGraph>(workers, std::move(edges));
  check_connected(name, *graph);
  return graph;
}

/// Reads the edges of a GraphML document.
class GraphmlEdges {
 public:
  GraphmlEdges(const XmlText& document, pugi::xml_node graph)
      : document_(document),
        ranks_(ranks_of_nodes(document, graph)),
        attributes_(document, "edge", {"weight"}) {}

  int nodes() const { return static_cast<int>(ranks_.size()); }

  GraphEdge read(pugi::xml_node edge) const {
    GraphEdge found{rank_at(edge, "source"), rank_at(edge, "target"), {}};
    if (const auto weight = attributes_.find(edge, "weight"))
      found.weight = parse<double>(*weight, document_.place(edge), "a weight");
    return found;
  }

 private:
  Rank rank_at(pugi::xml_node edge, const char* end) const {
    const std::string id = document_.needed_attribute(edge, end);
    const auto found = ranks_.find(id);
    if (found == ranks_.end()) reject("{}: there is no node {}", document_.place(edge), id);
    return found->second;
  }

  const XmlText& document_;
  std::unordered_map<std::string, Rank> ranks_;
  GraphmlAttributes attributes_;
};

void check_option(const std::string& name, bool is_directed, std::optional<bool> option) {
  if (option && *option != is_directed)
    reject("{}: the file says that the graph is {}directed, the option that it is {}", name,
           is_directed ? "" : "un", *option ? "directed" : "not");
}

}  // namespace

std::unique_ptr<CommunicationGraph> read_edge_list(int workers, std::istream& text, const std::string& name,
                                                   bool is_directed) {
  std::vector<GraphEdge> edges;
  std::vector<int> line_numbers;
  int line_number = 0;
  for (std::string line; std::getline(text, line);) {
    ++line_number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    edges.push_back(edge_of(words, fmt::format("{}:{}", name, line_number)));
    line_numbers.push_back(line_number);
  }
  const auto place_of = [&](std::size_t index) { return fmt::format("{}:{}", name, line_numbers[index]); };
  return connected_graph(workers, name, checked_edges(workers, edges, is_directed, place_of));
}

std::unique_ptr<CommunicationGraph> read_graphml(int workers, const std::string& text,
                                                 const std::string& name, std::optional<bool> is_directed) {
  const XmlText document(text, name);
  const pugi::xml_node graph = graph_of_graphml(document);
  const GraphmlEdges reader(document, graph);
  if (reader.nodes() != workers) {
    reject("{}: the graph has {} nodes; there must be one for each of {} workers", name, reader.nodes(),
           workers);
  }
  const bool is_directed_here = is_directed_graph(document, graph);
  check_option(name, is_directed_here, is_directed);
  std::vector<GraphEdge> edges;
  std::vector<pugi::xml_node> elements;
  for (const pugi::xml_node edge : graph.children("edge")) {
    check_direction(document, edge, is_directed_here);
    edges.push_back(reader.read(edge));
    elements.push_back(edge);
  }
  const auto place_of = [&](std::size_t index) { return document.place(elements[index]); };
  return connected_graph(workers, name, checked_edges(workers, edges, is_directed_here, place_of));
}

std::unique_ptr<CommunicationGraph> read_graph_file(int workers, FileGraph file) {
  read_text(file);
  if (is_graphml(file)) return read_graphml(workers, *file.text, file.path, file.is_directed);
  std::istringstream text(*file.text);
  return read_edge_list(workers, text, file.path, file.is_directed.value_or(false));
}

}  // namespace starling
