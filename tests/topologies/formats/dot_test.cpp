#include "topologies/formats/dot.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>

#include "tests/topologies/networks/clusters.hpp"
#include "topologies/networks/export_network.hpp"

namespace starling {
namespace {

TEST_CASE("DOT shows hosts, switches and each cable once, both directions where they differ") {
  ClusterOptions options = cluster_of(2, StarOptions{.link = test_link});
  options.network.overrides = {{.link = "host1 -> switch0", .bandwidth_Bps = 1e9}};
  std::ostringstream out;
  export_network(build_network(options), "dot", out);
  CHECK(out.str() ==
        "graph network {\n"
        "  node [shape=box];\n"
        "  \"host0\" [shape=ellipse];\n"
        "  \"host1\" [shape=ellipse];\n"
        "  \"switch0\";\n"
        "  \"host0\" -- \"switch0\" [label=\"10 GB/s, 1 us\"];\n"
        "  \"host1\" -- \"switch0\" [label=\"1 GB/s, 1 us\\n10 GB/s, 1 us\"];\n"
        "}\n");
}

TEST_CASE("names are quoted by the rules of DOT") {
  const std::vector<Vertex> vertices = {{VertexKind::host, "a \"b\" \\c"}};
  std::ostringstream out;
  write_dot({.vertices = vertices, .links = {}}, out);
  CHECK(out.str().find("  \"a \\\"b\\\" \\\\c\" [shape=ellipse];\n") != std::string::npos);
}

TEST_CASE("an unknown format of an export is refused, and the known ones are named") {
  std::ostringstream out;
  CHECK_THROWS_WITH_AS(export_network(network_of(2, StarOptions{.link = test_link}), "yaml", out),
                       "no format \"yaml\"; there are graphml, dot, simgrid", std::invalid_argument);
}

}  // namespace
}  // namespace starling
