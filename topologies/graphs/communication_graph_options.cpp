#include "topologies/graphs/communication_graph_options.hpp"

#include <fstream>
#include <iterator>
#include <utility>

#include "base/byte_order_mark.hpp"
#include "base/options/option_kinds.hpp"
#include "base/readable_file.hpp"
#include "base/reject.hpp"
#include "topologies/graphs/graphml_ranks.hpp"

namespace starling {
namespace {

constexpr IntegerRange worker_range{.least = 0, .greatest = most_workers - 1};
constexpr IntegerRange size_range{.least = 1, .greatest = most_workers};

NumberRows rows_of(const std::vector<GraphEdge>& edges) {
  NumberRows rows;
  for (const GraphEdge& edge : edges) {
    rows.push_back({static_cast<double>(edge.source), static_cast<double>(edge.destination)});
    if (edge.weight) rows.back().push_back(*edge.weight);
  }
  return rows;
}

std::vector<GraphEdge> edges_of(const NumberRows& rows) {
  std::vector<GraphEdge> edges;
  for (const std::vector<double>& row : rows) {
    edges.push_back({.source = static_cast<Rank>(row[0]), .destination = static_cast<Rank>(row[1])});
    if (row.size() > 2) edges.back().weight = row[2];
  }
  return edges;
}

}  // namespace

void describe(RingGraph& graph, OptionVisitor& visitor) {
  visitor.choice(
      {"direction", "the neighbors that a worker sends to"}, graph.direction,
      {{"both", RingDirection::both}, {"left", RingDirection::left}, {"right", RingDirection::right}});
}

void describe(StarGraph& graph, OptionVisitor& visitor) {
  visitor.integer({"center", "rank of the worker in the center"}, graph.center, worker_range);
}

void describe(Mesh2dGraph& graph, OptionVisitor& visitor) {
  std::vector<int> sizes;
  if (graph.dimensions) sizes.assign(graph.dimensions->begin(), graph.dimensions->end());
  visitor.integers({"dimensions", "numbers of rows and columns", "as square as possible"}, sizes, size_range,
                   {.least = 2, .greatest = 2, .noun = "sizes"});
  if (sizes.size() == 2) graph.dimensions = std::array{sizes[0], sizes[1]};
}

void describe(TorusGraph& graph, OptionVisitor& visitor) {
  visitor.integers({"dimensions", "sizes whose product is P", "two, as square as possible"}, graph.dimensions,
                   size_range, {.least = 1, .greatest = 20, .noun = "sizes"});
}

void describe(ExponentialGraph& graph, OptionVisitor& visitor) {
  visitor.integer({"base", "base of the powers"}, graph.base, {2, most_workers});
}

void describe(SymmetricExponentialGraph& graph, OptionVisitor& visitor) {
  visitor.integer({"base", "base of the powers"}, graph.base, {2, most_workers});
}

void describe(OnePeerExponentialGraph& graph, OptionVisitor& visitor) {
  visitor.choice({"pairs",
                  "exchange: i with i XOR 2^r; shift: i to i + 2^r; auto: exchange if P is a power of two, "
                  "otherwise shift"},
                 graph.pairs,
                 {{"auto", ExponentialPairs::automatic},
                  {"exchange", ExponentialPairs::exchange},
                  {"shift", ExponentialPairs::shift}});
  visitor.integer({"peers", "distances per iteration"}, graph.peers, size_range);
}

void describe(RandomRegularGraph& graph, OptionVisitor& visitor) {
  visitor.integer({"degree", "neighbors of every worker"}, graph.degree, size_range);
}

void describe(SmallWorldGraph& graph, OptionVisitor& visitor) {
  visitor.integer({"neighbors", "neighbors of every worker before edges are moved; even"}, graph.neighbors,
                  {2, most_workers});
  visitor.number({"rewiring_probability", "probability that an edge is moved"}, graph.rewiring_probability,
                 {.least = 0, .greatest = 1});
}

void describe(EdgeListGraph& graph, OptionVisitor& visitor) {
  constexpr Range workers{.least = 0, .greatest = most_workers - 1};
  NumberRows rows = rows_of(graph.edges);
  visitor.rows({.key = "edges",
                .meaning = "the destination multiplies the source's model by the weight; without an edge to "
                           "itself, a worker's own weight is 1 minus the sum of the others",
                .is_needed = true},
               rows,
               {{"source", workers, true},
                {"destination", workers, true},
                {"weight", {.least = 0, .greatest = 1}, false}},
               2);
  graph.edges = edges_of(rows);
  visitor.flag(
      {"directed", "whether edges are directed; if not, every edge is given once and runs both ways"},
      graph.is_directed);
}

void describe(FileGraph& graph, OptionVisitor& visitor) {
  visitor.file({.key = "file", .meaning = "the graph", .is_needed = true}, graph.path);
  visitor.check("file", [&graph] { read_text(graph); });
  visitor.warning("file", [&graph] {
    return is_graphml(graph) ? rank_order_warning(*graph.text, graph.path) : std::string();
  });
  visitor.flag({"directed", "whether edges are directed", "as a GraphML file declares; otherwise false"},
               graph.is_directed);
}

bool is_graphml(const FileGraph& file) {
  return file.path.ends_with(".graphml") || file.path.ends_with(".xml");
}

void read_text(FileGraph& file) {
  if (file.text) return;
  if (const std::string problem = why_not_readable(file.path); !problem.empty())
    reject("{}: {}, expected a file", file.path, problem);
  std::ifstream stream(file.path);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  text.erase(0, text.size() - without_byte_order_mark(text).size());
  if (text.empty()) reject("{}: the file is missing, empty or cannot be read", file.path);
  file.text = std::make_shared<const std::string>(std::move(text));
}

void describe_graph(CommunicationGraphKind& kind, std::uint64_t& seed, OptionVisitor& visitor) {
  Kinds kinds = kinds_of(kind, "graph");
  const Description describe_kind = kinds.describe;
  kinds.describe = [&](OptionVisitor& inner) {
    describe_kind(inner);
    const bool is_random = std::visit(
        [](const auto& graph) {
          return requires { graph.is_random; };
        },
        kind);
    if (is_random)
      inner.seed({"seed", "seed of the random graph", "the scenario's"}, seed);
    else
      inner.seed(seed);
  };
  visitor.kind(kinds);
}

}  // namespace starling
