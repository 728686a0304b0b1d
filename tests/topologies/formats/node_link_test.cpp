#include "topologies/formats/node_link.hpp"

#include <doctest/doctest.h>

#include "tests/rounding.hpp"
#include "tests/topologies/formats/network_files.hpp"

namespace starling {
namespace {

/// A document of two hosts on one switch, whose links and further keys are given.
std::string node_link(const std::string& links, const std::string& more = "") {
  return R"({"nodes": [{"id": 0}, {"id": "s"}, {"id": 1}], "links": [)" + links + "]" + more + "}";
}

std::string link(const std::string& source, const std::string& target, const std::string& more = "") {
  return R"({"source": )" + source + R"(, "target": )" + target +
         R"(, "bandwidth": "1Gbps", "latency": 1e-6)" + more + "}";
}

const std::string both_links = link("0", "\"s\"") + ", " + link("\"s\"", "1");

std::string error_of_document(const std::string& text) { return error_in("net.json", text, 2); }

TEST_CASE("node-link JSON is a network, whose nodes are called by texts or numbers") {
  const ScratchFolder folder;
  const Network network =
      network_of(2, FileNetworkOptions{.path = folder.write("net.json", node_link(both_links)).string()});
  CHECK(route_text(network, 0, 1) == "0 -> s, s -> 1");
  CHECK(network.bandwidth_Bps(0, 1) == 1.25e8);
  CHECK(network.alpha_s(0, 1) == about(2e-6));
}

TEST_CASE("node-link JSON may call its links edges as later versions of networkx do") {
  CHECK(error_of_document(R"({"nodes": [{"id": "a", "kind": "host"}, {"id": "b", "kind": "host"}],
                             "edges": [)" +
                          link("\"a\"", "\"b\"") + "]}") == "no error");
}

TEST_CASE("parallel links of a multigraph are told apart by their keys") {
  const std::string parallel =
      link("0", "\"s\"", R"(, "key": 0)") + ", " + link("\"s\"", "0", R"(, "key": 1)") + ", ";
  const std::string hosts = R"({"nodes": [{"id": 0, "kind": "host"}, {"id": "s", "kind": "switch"},
                                {"id": 1, "kind": "host"}], "multigraph": true, "links": [)";
  const std::string last = link("\"s\"", "1", R"(, "key": 0)") + "]}";
  const ScratchFolder folder;
  const auto file = folder.write("net.json", hosts + parallel + last);
  CHECK(network_of(2, FileNetworkOptions{.path = file.string()}).links().size() == 6);
  CHECK(error_of_document(hosts + both_links + "]}") == "net.json: /links/0: key \"key\" is missing");
}

TEST_CASE("content of node-link JSON that would be ignored is refused") {
  CHECK(error_of_document(node_link(both_links, R"(, "edges": [])")) ==
        "net.json: /links: there are \"edges\" as well; expected one of the two");
  CHECK(error_of_document(node_link(both_links, R"(, "direct": true)")) ==
        "net.json: /direct: unknown key (did you mean \"directed\"?); expected directed, multigraph, graph, "
        "nodes, links, edges");
  CHECK(error_of_document(node_link(both_links, R"(, "graph": {"name": "two"}, "multigraph": false)")) ==
        "no error");
  const auto error_of_node = [](const std::string& more) {
    return error_of_document(R"({"nodes": [{"id": "a")" + more + R"(}, {"id": "b"}], "links": [)" +
                             link("\"a\"", "\"b\"") + "]}");
  };
  CHECK(error_of_node(R"(, "rack": 4, "type": "GPU")") == "no error");
  CHECK(error_of_node(R"(, "type": "host")") ==
        "net.json: /nodes/0: a node of type \"host\"; expected kind \"host\"");
  CHECK(error_of_node(R"(, "Kind": "host")") == "net.json: /nodes/0: key \"Kind\"; expected \"kind\"");
  CHECK(error_of_document(node_link(link("0", "\"s\"", R"(, "Latency": 1)"))) ==
        "net.json: /links/0: key \"Latency\"; expected \"latency\"");
}

TEST_CASE("errors of node-link JSON name the element") {
  CHECK(error_of_document(node_link(both_links)) == "no error");
  CHECK(error_of_document(node_link(both_links + ", " + link("\"s\"", "0"))) ==
        "net.json: /links/2: the cable s - 0 is a duplicate of the one at net.json: /links/0; parallel "
        "cables need different numbers");
  CHECK(error_of_document(node_link(both_links + R"(, {"source": 0, "target": 1, "latency": 0})")) ==
        "net.json: /links/2: key \"bandwidth\" is missing");
  CHECK(error_of_document(node_link(R"({"source": 0, "target": "s", "bandwidth": 1, "latency": 1e10})")) ==
        "net.json: /links/0: 0 - s: latency out of range, got 1e+10, expected from 0 to 1000000000 seconds");
  CHECK(error_of_document(node_link(link("0", "7"))) == "net.json: /links/0: there is no node 7");
  CHECK(error_of_document(node_link(link("0", "[]"))) ==
        "net.json: /links/0: the name of a node must be a string or an integer, got []");
  CHECK(error_of_document(node_link(both_links, R"(, "directed": true)")) ==
        "net.json: /links/0: the link 0 -> s has no link in the opposite direction");
  CHECK(error_of_document(node_link(both_links, R"(, "directed": 1)")) ==
        "net.json: /directed: expected true or false");
  CHECK(error_of_document(R"({"nodes": [{"id": "a", "kind": "router"}], "links": []})") ==
        "net.json: /nodes/0: kind \"router\" of a node; expected \"host\" or \"switch\"");
  CHECK(error_of_document(R"({"nodes": [{"id": "a"}, {"id": "a"}], "links": []})") ==
        "net.json: /nodes/1: node a is a duplicate of the one at net.json: /nodes/0");
  CHECK(error_of_document(R"({"links": []})") == "net.json: /: key \"nodes\" is missing");
  CHECK(error_of_document(R"({"nodes": 1, "links": []})") == "net.json: /nodes: expected a list");
  CHECK(error_of_document("[]") == "net.json: /: expected an object, got []");
  CHECK(error_of_document("{").starts_with("net.json: "));
}

}  // namespace
}  // namespace starling
