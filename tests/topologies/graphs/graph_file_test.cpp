#include "topologies/graphs/graph_file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/options/option_check.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/topologies/graphs/graphs.hpp"
#include "topologies/graphs/graphml_ranks.hpp"

namespace starling {
namespace {

using Ranks = std::vector<Rank>;

Graph edge_list_of(const std::string& text, int workers, bool is_directed = false) {
  return read_edge_list(workers, text, "pairs.txt", is_directed);
}

Graph graphml_of(const std::string& text, int workers, std::optional<bool> is_directed = {}) {
  return read_graphml(workers, text, "graph.graphml", is_directed);
}

std::string graphml_text(const std::string& direction, const std::string& edges) {
  return "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
         "<key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
         "<key id=\"l\" for=\"node\" "
         "attr.name=\"label\" attr.type=\"string\"/>\n"
         "<graph edgedefault=\"" +
         direction +
         "\">\n<node id=\"a\"><data key=\"l\">first</data></node>\n<node id=\"b\"/>\n<node id=\"c\"/>\n" +
         edges + "</graph></graphml>\n";
}

constexpr const char* path_of_three =
    "<edge source=\"c\" target=\"a\"/>\n<edge source=\"c\" target=\"b\"/>\n";

TEST_CASE("an edge list is read with its comments, blank lines and weights") {
  const Graph graph = edge_list_of("# a line of three\n\n0 1 0.25  # left\n  2\t1 0.5\n", 3);
  CHECK(graph->neighbors(1, 0) == Ranks{0, 2});
  CHECK(graph->given_weight(1, 2) == 0.5);
  CHECK(graph->given_weight(1, 1) == 0.25);
  CHECK(graph->given_weight(0, 0) == 0.75);
  CHECK_FALSE(edge_list_of("0 1\n1 2\n2 0\n", 3, true)->is_symmetric());
}

TEST_CASE("an error in an edge list names the line") {
  const auto rejected = [](const std::string& text, const char* error) {
    CHECK_THROWS_WITH_AS(edge_list_of(text, 3), error, std::invalid_argument);
  };
  rejected("0 1\n1\n", "pairs.txt:2: expected \"source destination [weight]\", got 1 words");
  rejected("0 1 2 3\n", "pairs.txt:1: expected \"source destination [weight]\", got 4 words");
  rejected(std::string("0\0 \0001\0", 6), "pairs.txt: is UTF-16, expected UTF-8");
  rejected("# zero\nzero 1\n", "pairs.txt:2: \"zero\" is not a rank");
  rejected("0 1.5\n", "pairs.txt:1: \"1.5\" is not a rank");
  rejected("0 1 half\n", "pairs.txt:1: \"half\" is not a weight");
  rejected("0 1 nan\n", "pairs.txt:1: the weight must be at least 0 and finite, got nan");
  rejected("0 1\n\n1 3\n", "pairs.txt:3: there is no worker 3; ranks are 0 to 2");
  rejected("0 1\n\n1 0\n",
           "pairs.txt:3: the edge from worker 1 to worker 0 is a duplicate of the one at pairs.txt:1");
  rejected("0 1\n",
           "pairs.txt: worker 0 and worker 2 do not reach each other; every worker must reach every other");
}

TEST_CASE("nodes of a GraphML graph are ranks in the order of the file") {
  const Graph graph = graphml_of(graphml_text("undirected", path_of_three), 3);
  CHECK(graph->neighbors(2, 0) == Ranks{0, 1});
  CHECK(graph->neighbors(0, 0) == Ranks{2});
  CHECK_FALSE(graph->has_weights());
}

/// A directed ring 0 → 1 → 2 → 3 → 0 of nodes called by their numbers, listed in that order.
std::string numbered_ring(const std::vector<int>& order, const std::string& before) {
  std::string text = "<graphml><graph edgedefault=\"directed\">";
  for (const int node : order) text += "<node id=\"" + before + std::to_string(node) + "\"/>";
  for (int node = 0; node < 4; ++node)
    text += "<edge source=\"" + before + std::to_string(node) + "\" target=\"" + before +
            std::to_string((node + 1) % 4) + "\"/>";
  return text + "</graph></graphml>";
}

TEST_CASE("nodes of a GraphML graph that are called by numbers from 0 are the workers of these numbers") {
  for (const char* before : {"", "n"}) {
    const Graph graph = graphml_of(numbered_ring({0, 2, 1, 3}, before), 4);
    for (Rank rank = 0; rank < 4; ++rank) CHECK(graph->out_neighbors(rank, 0) == Ranks{(rank + 1) % 4});
  }
  // Called otherwise, they are numbered as they come.
  CHECK(graphml_of(numbered_ring({0, 2, 1, 3}, "node"), 4)->out_neighbors(0, 0) == Ranks{2});
}

TEST_CASE("a warning tells which node is which worker where ids are no ranks") {
  CHECK(rank_order_warning(numbered_ring({3, 2, 1, 0}, ""), "graph.graphml").empty());
  CHECK(rank_order_warning(numbered_ring({3, 2, 1, 0}, "n"), "graph.graphml").empty());
  CHECK(rank_order_warning("<svg/>", "graph.graphml").empty());
  CHECK(rank_order_warning(numbered_ring({0, 2, 1, 3}, "node"), "graph.graphml") ==
        "graph.graphml: nodes are not named 0 to 3, so they are numbered in file order: \"node0\" is worker "
        "0, \"node3\" worker 3");
  for (const std::string other : {"4", "-1", "1", "n1", "1.0", ""}) {
    CAPTURE(other);
    std::string text = numbered_ring({3, 1, 2, 0}, "");
    text.replace(text.find("\"3\""), 3, "\"" + other + "\"");
    CHECK_FALSE(rank_order_warning(text, "graph.graphml").empty());
  }
}

TEST_CASE("weights of a GraphML graph may have blanks around them, and their attribute is called weight") {
  const std::string edges =
      "<edge source=\"c\" target=\"a\"><data key=\"w\"> 0.25\n</data></edge>"
      "<edge source=\"c\" target=\"b\"><data key=\"w\">0.5</data></edge>";
  CHECK(graphml_of(graphml_text("undirected", edges), 3)->given_weight(0, 2) == 0.25);
  std::string text = graphml_text("undirected", edges);
  text.replace(text.find("\"weight\""), 8, "\"Weight\"");
  CHECK_THROWS_WITH_AS(graphml_of(text, 3), "graph.graphml:3: attribute \"Weight\"; expected \"weight\"",
                       std::invalid_argument);
}

TEST_CASE("an edge list may begin with a byte order mark") {
  const ScratchFolder folder;
  const std::string list = folder
                               .write("graph.edges",
                                      "\xEF\xBB\xBF"
                                      "0 1\n1 2\n")
                               .string();
  CHECK(graph_of(3, FileGraph{list})->neighbors(1, 0) == Ranks{0, 2});
}

TEST_CASE("a GraphML graph says whether it is directed, and may give weights") {
  const Graph graph =
      graphml_of(graphml_text("directed",
                              "<edge source=\"a\" target=\"b\"><data key=\"w\">1</data></edge>"
                              "<edge source=\"b\" target=\"c\"><data key=\"w\">1</data></edge>"
                              "<edge source=\"c\" target=\"a\"><data key=\"w\">0.5</data></edge>"),
                 3);
  CHECK(graph->out_neighbors(0, 0) == Ranks{1});
  CHECK(graph->given_weight(0, 2) == 0.5);
  CHECK(graph->given_weight(0, 0) == 0.5);
}

TEST_CASE("an error in a GraphML graph is told with its line") {
  const auto rejected = [](const std::string& text, const char* error, std::optional<bool> is_directed = {}) {
    CHECK_THROWS_WITH_AS(graphml_of(text, 3, is_directed), error, std::invalid_argument);
  };
  rejected(graphml_text("undirected", "<oops"), "graph.graphml:9: not XML: Error parsing start element tag");
  rejected("<svg/>", "graph.graphml:1: not GraphML: expected a <graphml> that holds a <graph>");
  rejected(graphml_text("undirected", "<edge source=\"a\" target=\"elsewhere\"/>"),
           "graph.graphml:9: there is no node elsewhere");
  rejected(graphml_text("undirected", "<node id=\"d\"/>"),
           "graph.graphml: the graph has 4 nodes; there must be one for each of 3 workers");
  rejected(graphml_text("undirected", "<node id=\"a\"/>"), "graph.graphml:9: node a is a duplicate");
  rejected(graphml_text("undirected", path_of_three),
           "graph.graphml: the file says that the graph is undirected, the option says that it is directed",
           true);
  rejected(graphml_text("directed", path_of_three),
           "graph.graphml: the file says that the graph is directed, the option says that it is not", false);
  rejected(graphml_text("undirected", "<edge source=\"a\" target=\"b\"><data key=\"w\">x</data></edge>"),
           "graph.graphml:9: \"x\" is not a weight");
  rejected(graphml_text("directed",
                        std::string(path_of_three) + "<edge source=\"a\" target=\"b\" directed=\"false\"/>"),
           "graph.graphml:11: this edge is undirected and the graph is directed");
  rejected(
      graphml_text("undirected", "<edge source=\"a\" target=\"b\"/><edge source=\"a\" target=\"b\"/>"),
      "graph.graphml:9: the edge from worker 0 to worker 1 is a duplicate of the one at graph.graphml:9");
}

TEST_CASE("the format of a graph file follows from the end of its name") {
  const ScratchFolder folder;
  const std::string list = folder.write("graph.edges", "0 1\n1 2\n").string();
  const std::string graphml =
      folder.write("graph.graphml", graphml_text("undirected", path_of_three)).string();
  CHECK(graph_of(3, FileGraph{list})->neighbors(1, 0) == Ranks{0, 2});
  CHECK(graph_of(3, FileGraph{graphml})->neighbors(2, 0) == Ranks{0, 1});
}

TEST_CASE("a graph file is read only once, with the options, so that it may be a pipe") {
  std::array<int, 2> ends = {};
  REQUIRE(::pipe(ends.data()) == 0);
  const std::string_view text = "0 1\n1 2\n";
  REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  CommunicationGraphKind graph = FileGraph{"/dev/fd/" + std::to_string(ends[0])};
  std::uint64_t seed = 1;
  check_options("graph", [&](OptionVisitor& visitor) { describe_graph(graph, seed, visitor); });
  ::close(ends[0]);
  for (int again = 0; again < 2; ++again) CHECK(graph_of(3, graph)->neighbors(1, 0) == Ranks{0, 2});
}

TEST_CASE("a missing, an empty and an unreadable graph file are named") {
  const ScratchFolder scratch;
  const std::string empty = scratch.write("graph.empty", "").string();
  for (const std::string& path : {std::string("no/such/file"), empty}) {
    CHECK_THROWS_WITH_AS(graph_of(3, FileGraph{path}),
                         (path + ": the file is missing, empty or cannot be read").c_str(),
                         std::invalid_argument);
  }
  const std::string folder = scratch.path().string();
  CHECK_THROWS_WITH_AS(graph_of(3, FileGraph{folder}), (folder + ": is a directory, expected a file").c_str(),
                       std::invalid_argument);
}

}  // namespace
}  // namespace starling
