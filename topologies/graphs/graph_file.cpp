#include "topologies/graphs/graph_file.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <boost/range/iterator_range.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number_in.hpp"
#include "base/reject.hpp"
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

struct GraphmlEdge {
  /// Stays as it is where the file gives no weight.
  double weight = std::numeric_limits<double>::quiet_NaN();
};

/// What a GraphML file holds.
struct GraphmlContent {
  int nodes = 0;
  std::vector<GraphEdge> edges;
  bool is_directed = false;
};

template <typename Direction>
GraphmlContent graphml_content(std::istream& text) {
  using ReadGraph =
      boost::adjacency_list<boost::vecS, boost::vecS, Direction, boost::no_property, GraphmlEdge>;
  ReadGraph graph;
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("weight", get(&GraphmlEdge::weight, graph));
  boost::read_graphml(text, graph, properties);

  GraphmlContent content = {static_cast<int>(num_vertices(graph)), {}, boost::is_directed(graph)};
  for (const auto& edge : boost::make_iterator_range(edges(graph))) {
    GraphEdge found = {static_cast<Rank>(source(edge, graph)), static_cast<Rank>(target(edge, graph)), {}};
    if (!std::isnan(graph[edge].weight)) found.weight = graph[edge].weight;
    content.edges.push_back(found);
  }
  return content;
}

/// Boost.Graph reads a directed file into a directed graph only, an undirected file into an undirected one.
GraphmlContent graphml_content_of_either_kind(std::istream& text) {
  try {
    return graphml_content<boost::undirectedS>(text);
  } catch (const boost::directed_graph_error&) {
    text.clear();
    text.seekg(0);
    return graphml_content<boost::bidirectionalS>(text);
  }
}

GraphmlContent checked_graphml_content(std::istream& text, const std::string& name) {
  try {
    return graphml_content_of_either_kind(text);
  } catch (const boost::property_tree::xml_parser_error& error) {
    reject("{}:{}: not XML: {}", name, error.line(), error.message());
  } catch (const boost::property_tree::ptree_error& error) {
    reject("{}: not GraphML: {}", name, error.what());
  } catch (const boost::bad_any_cast&) {
    reject("{}: the edge attribute \"weight\" must be of type double", name);
  } catch (const boost::undirected_graph_error&) {
    reject("{}: some edges are directed and some are not", name);
  } catch (const boost::graph_exception& error) {
    reject("{}: not GraphML: {}", name, error.what());
  }
}

bool ends_with_graphml(const std::string& path) {
  return path.ends_with(".graphml") || path.ends_with(".xml");
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

std::unique_ptr<CommunicationGraph> read_graphml(int workers, std::istream& text, const std::string& name,
                                                 std::optional<bool> is_directed) {
  const GraphmlContent content = checked_graphml_content(text, name);
  if (content.nodes != workers) {
    reject("{}: the graph has {} nodes; there must be one for each of {} workers", name, content.nodes,
           workers);
  }
  if (is_directed && *is_directed != content.is_directed) {
    reject("{}: the file says that the graph is {}directed, the option that it is {}", name,
           content.is_directed ? "" : "un", *is_directed ? "directed" : "not");
  }
  const auto place_of = [&](std::size_t index) { return fmt::format("{}: edge {}", name, index + 1); };
  return connected_graph(workers, name, checked_edges(workers, content.edges, content.is_directed, place_of));
}

std::unique_ptr<CommunicationGraph> read_graph_file(int workers, FileGraph file) {
  read_text(file);
  std::istringstream text(*file.text);
  if (ends_with_graphml(file.path)) return read_graphml(workers, text, file.path, file.is_directed);
  return read_edge_list(workers, text, file.path, file.is_directed.value_or(false));
}

}  // namespace starling
