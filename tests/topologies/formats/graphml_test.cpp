#include "topologies/formats/graphml.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/rounding.hpp"
#include "tests/topologies/formats/network_files.hpp"

namespace starling {
namespace {

/// A file of two hosts on one switch, whose edges are given.
std::string graphml(const std::string& edges, const std::string& direction = "undirected") {
  return fmt::format(
      "<graphml>\n"
      "<key id=\"d0\" for=\"edge\" attr.name=\"bandwidth\"/>\n"
      "<key id=\"d1\" for=\"edge\" attr.name=\"latency\"><default>1us</default></key>\n"
      "<key id=\"d2\" for=\"edge\" attr.name=\"cable\"/>\n"
      "<key id=\"d3\" for=\"edge\" attr.name=\"color\"/>\n"
      "<graph edgedefault=\"{}\">\n"
      "<node id=\"a\"/><node id=\"s\"/><node id=\"b\"/>\n"
      "{}</graph></graphml>\n",
      direction, edges);
}

std::string edge(const std::string& source, const std::string& target, const std::string& data) {
  return fmt::format("<edge source=\"{}\" target=\"{}\">{}</edge>\n", source, target, data);
}

const std::string gigabit = "<data key=\"d0\">1Gbps</data>";
const std::string both_edges = edge("a", "s", gigabit) + edge("s", "b", gigabit);

std::string error_of_edges(const std::string& edges, const std::string& direction = "undirected") {
  return error_in("net.graphml", graphml(edges, direction), 2);
}

TEST_CASE("every kind of network is the same after it was written as GraphML and read back") {
  for (auto [name, options] : clusters_of_every_kind()) {
    CAPTURE(name);
    const Network network = build_network(options);
    const Network again = read_back(network, "graphml", "net.graphml");
    check_same_links(network, again);
    CHECK(network.switches() == again.switches());
    // A dragonfly's routes are not always the shortest.
    if (!std::holds_alternative<DragonflyOptions>(options.network.kind))
      CHECK(texts_of_routes(network) == texts_of_routes(again));
  }
}

TEST_CASE("cables whose directions differ are written as two directed edges each") {
  ClusterOptions options = cluster_of(4, FatTreeOptions{.levels = {{2, 1, 2}, {2, 1}}, .link = test_link});
  options.network.overrides = {{.link = "host0 -> level1_switch0 #2", .bandwidth_Bps = 1e9 / 3}};
  const Network network = build_network(options);
  check_same_links(network, read_back(network, "graphml", "net.xml"));
}

TEST_CASE("quantities of a GraphML file are in SI units, have a unit of their own or are the key's default") {
  const std::string edges = edge("a", "s", "<data key=\"d0\">5e8</data><data key=\"d1\">2e-6</data>") +
                            edge("s", "b", gigabit + "<data key=\"d3\">red</data>");
  const ScratchFolder folder;
  const Network network =
      network_of(2, FileNetworkOptions{.path = folder.write("net.graphml", graphml(edges)).string()});
  CHECK(route_text(network, 0, 1) == "a -> s, s -> b");
  CHECK(network.bandwidth_Bps(0, 1) == 1.25e8);
  CHECK(network.alpha_s(0, 1) == about(3e-6));
}

TEST_CASE("errors of a GraphML file name its line and the edge") {
  CHECK(error_of_edges(both_edges) == "no error");
  CHECK(error_of_edges(edge("a", "s", gigabit) + edge("s", "b", "")) ==
        "net.graphml:9: edge s - b has no bandwidth");
  CHECK(error_of_edges(both_edges + edge("s", "a", gigabit)) ==
        "net.graphml:10: the cable s - a is a duplicate of the one at net.graphml:8; parallel cables need "
        "different numbers");
  CHECK(error_of_edges(both_edges + edge("s", "a", gigabit + "<data key=\"d2\">2</data>")) ==
        "net.graphml: 1 of its 3 nodes are hosts, the cluster has 2; hosts are the nodes declared as such "
        "or, if none are, those with one cable");
  CHECK(error_of_edges(both_edges + edge("a", "s", gigabit + "<data key=\"d2\">0</data>")) ==
        "net.graphml:10: cable \"0\"; expected the number of a cable, from 1");
  CHECK(error_of_edges(edge("a", "x", gigabit)) == "net.graphml:8: there is no node x");
  CHECK(error_of_edges(edge("a", "a", gigabit)) == "net.graphml:8: the cable connects a to itself");
  CHECK(error_of_edges("<edge source=\"a\"/>") == "net.graphml:8: <edge> has no target");
  CHECK(error_of_edges(both_edges + "<node id=\"a\"/>\n") ==
        "net.graphml:10: node a is a duplicate of the one at net.graphml:7");
  CHECK(error_of_edges(edge("a", "s", "<data key=\"d0\">0</data>")) ==
        "net.graphml:8: a - s: bandwidth out of range, got 0, expected from 1 to 1e+18 bytes per second");
  const std::string slow = "<data key=\"d0\">1e-308</data>";
  CHECK(
      error_of_edges(edge("a", "s", gigabit) + edge("s", "b", slow)) ==
      "net.graphml:9: s - b: bandwidth out of range, got 1e-308, expected from 1 to 1e+18 bytes per second");
  CHECK(error_of_edges(edge("a", "s", gigabit + "<data key=\"d1\">1e308</data>")) ==
        "net.graphml:8: a - s: latency out of range, got 1e+308, expected from 0 to 1000000000 seconds");
  CHECK(error_of_edges(edge("a", "s", "<data key=\"d0\">fast</data>"))
            .starts_with("net.graphml:8: bandwidth \"fast\": "));
}

TEST_CASE(
    "directed edges of a GraphML file need one in the other direction, and edges are all directed or all "
    "not") {
  const std::string back = edge("s", "a", gigabit) + edge("b", "s", gigabit);
  CHECK(error_of_edges(both_edges + back, "directed") == "no error");
  CHECK(error_of_edges(both_edges + edge("s", "a", gigabit), "directed") ==
        "net.graphml:9: the link s -> b has no link in the opposite direction");
  CHECK(error_of_edges("<edge source=\"a\" target=\"s\" directed=\"true\"/>") ==
        "net.graphml:8: this edge is directed and the graph is undirected");
}

TEST_CASE("content of a GraphML file that would be ignored is refused") {
  CHECK(error_of_edges(both_edges, "Directed") ==
        "net.graphml:6: edgedefault \"Directed\"; expected \"directed\" or \"undirected\"");
  CHECK(error_in("net.graphml", "<graphml><graph/></graphml>", 2) ==
        "net.graphml:1: <graph> has no edgedefault");
  CHECK(error_of_edges("<edge source=\"a\" target=\"s\" directed=\"yes\"/>") ==
        "net.graphml:8: directed \"yes\" of an edge; expected \"true\" or \"false\"");
  CHECK(error_of_edges("<Edge source=\"a\" target=\"s\"/>") ==
        "net.graphml:8: <Edge> is not supported; expected node and edge");
  CHECK(error_of_edges("a - s") == "net.graphml:8: text is not supported; expected node and edge");
  CHECK(error_of_edges("</graph><Key/><graph edgedefault=\"directed\">") ==
        "net.graphml:8: a second <graph>; expected one");
  CHECK(error_of_edges("</graph><Key/><graph>").find("a second <graph>") != std::string::npos);
  CHECK(error_in("net.graphml", "<graphml><Key/><graph/></graphml>", 2) ==
        "net.graphml:1: <Key> is not supported; expected key and graph");
  CHECK(error_of_edges(edge("a", "s", "<data key=\"bandwidth\">1Gbps</data>")) ==
        "net.graphml:8: data of \"bandwidth\"; expected the id of a <key> of the file");
  CHECK(error_of_edges(edge("a", "s", gigabit + gigabit)) ==
        "net.graphml:8: a second bandwidth; expected one");
  CHECK(error_of_edges(edge("a", "s", gigabit + "<graph/>")) ==
        "net.graphml:8: a <graph> inside an edge is not supported");
  CHECK(error_in("net.graphml", graphml(both_edges) + graphml(both_edges), 2) ==
        "net.graphml:11: not XML: <graphml> beside <graphml>, which must contain everything");
  CHECK(error_in("net.graphml", graphml(both_edges) + "and more\n", 2) ==
        "net.graphml:11: not XML: text beside <graphml>, which must contain everything");
  CHECK(error_in("net.graphml", graphml(both_edges) + std::string("\0more", 5), 2) ==
        "net.graphml:11: not XML: it contains a zero byte");
  CHECK(error_in("net.graphml", "\xEF\xBB\xBF<!-- two -->\n" + graphml(both_edges) + "<!-- hosts -->\n", 2) ==
        "no error");
}

TEST_CASE("a node is a host by its kind, which no other attribute stands for") {
  const auto error_of_attribute = [](const std::string& name, const std::string& value) {
    std::string text = graphml(both_edges);
    text.replace(text.find("<graph "), 0, "<key id=\"k\" for=\"node\" attr.name=\"" + name + "\"/>\n");
    text.replace(text.find("<node id=\"a\"/>"), 14,
                 "<node id=\"a\"><data key=\"k\">" + value + "</data></node>");
    return error_in("net.graphml", text, 2);
  };
  CHECK(error_of_attribute("type", "host") ==
        "net.graphml:8: a node of type \"host\"; expected kind \"host\"");
  CHECK(error_of_attribute("type", "GPU") == "no error");
  CHECK(error_of_attribute("Kind", "host") == "net.graphml:6: attribute \"Kind\"; expected \"kind\"");
  CHECK(error_of_attribute("kind", " switch ")
            .starts_with("net.graphml:8: node s is not declared a host or a switch"));
}

TEST_CASE("a file that is no GraphML, or has more than a graph, is refused") {
  CHECK(error_in("net.graphml", "<graphml>\n<graph>\n</graphml>", 2).starts_with("net.graphml:3: not XML: "));
  CHECK(error_in("net.graphml", "", 2).starts_with("net.graphml:1: not XML: "));
  CHECK(error_in("net.graphml", "\n<svg/>", 2) ==
        "net.graphml:2: not GraphML: expected a <graphml> that holds a <graph>");
  CHECK(error_of_edges("<hyperedge/>") ==
        "net.graphml:8: <hyperedge> is not supported; expected edges of two nodes");
  CHECK(error_of_edges("<node id=\"c\"><graph/></node>") ==
        "net.graphml:8: a <graph> inside a node is not supported");
  CHECK(error_of_edges("</graph><graph>") == "net.graphml:8: a second <graph>; expected one");
  CHECK(error_in("net.txt", "", 2) ==
        "net.txt: not a network; expected a file that ends in .graphml, .xml or .json");
}

}  // namespace
}  // namespace starling
