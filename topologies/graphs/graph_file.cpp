#include "topologies/graphs/graph_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/byte_order_mark.hpp"
#include "base/reject.hpp"
#include "base/texts/number_in.hpp"
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

struct Words {
  std::array<std::string_view, 3> first;
  std::size_t count = 0;  // of all
};

Words words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\v\f";
  line = line.substr(0, line.find('#'));
  Words words;
  for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(blanks)) {
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    if (words.count < words.first.size()) words.first[words.count] = line.substr(0, end);
    ++words.count;
    line.remove_prefix(end);
  }
  return words;
}

GraphEdge edge_of(const Words& words, const std::string& place) {
  if (words.count != 2 && words.count != 3) {
    reject("{}: expected \"source destination [weight]\", got {} words", place, words.count);
  }
  GraphEdge edge;
  edge.source = parse<Rank>(words.first[0], place, "a rank");
  edge.destination = parse<Rank>(words.first[1], place, "a rank");
  if (words.count == 3) edge.weight = parse<double>(words.first[2], place, "a weight");
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
    reject("{}: the file says that the graph is {}directed, the option says that it is {}", name,
           is_directed ? "" : "un", *option ? "directed" : "not");
}

}  // namespace

std::unique_ptr<CommunicationGraph> read_edge_list(int workers, std::string_view text,
                                                   const std::string& name, bool is_directed) {
  if (is_utf_16(text)) reject("{}: is UTF-16, expected UTF-8", name);
  std::vector<GraphEdge> edges;
  std::vector<int> line_numbers;
  int line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Words words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (words.count == 0) continue;
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
  return read_edge_list(workers, *file.text, file.path, file.is_directed.value_or(false));
}

}  // namespace starling
