#include "topologies/graphs/communication_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/options/option_kinds.hpp"
#include "tests/topologies/graphs/graphs.hpp"

namespace starling {
namespace {

using Ranks = std::vector<Rank>;

bool contains(const Ranks& ranks, Rank rank) { return std::binary_search(ranks.begin(), ranks.end(), rank); }

bool is_list_of_others(const Ranks& found, Rank rank, int workers) {
  return std::is_sorted(found.begin(), found.end()) &&
         std::adjacent_find(found.begin(), found.end()) == found.end() && !contains(found, rank) &&
         (found.empty() || (found.front() >= 0 && found.back() < workers));
}

TEST_CASE("in every graph the neighbors ascend, are others, and are as many as the degree says") {
  for (const auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    for (int iteration = 0; iteration < graph->period(); ++iteration) {
      for (Rank rank = 0; rank < graph->workers(); ++rank) {
        const Ranks out = graph->out_neighbors(rank, iteration);
        const Ranks in = graph->in_neighbors(rank, iteration);
        REQUIRE(is_list_of_others(out, rank, graph->workers()));
        REQUIRE(is_list_of_others(in, rank, graph->workers()));
        REQUIRE(graph->out_degree(rank, iteration) == static_cast<int>(out.size()));
        REQUIRE(graph->in_degree(rank, iteration) == static_cast<int>(in.size()));
      }
    }
  }
}

TEST_CASE("in every graph finding neighbors overwrites the list it is given") {
  for (const auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    Ranks out = {-1, -2, -3};
    Ranks in = {-4};
    graph->find_out_neighbors(0, 0, out);
    graph->find_in_neighbors(0, 0, in);
    CHECK(out == graph->out_neighbors(0, 0));
    CHECK(in == graph->in_neighbors(0, 0));
  }
}

TEST_CASE("in every graph a worker receives from exactly those that send to it") {
  for (const auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    for (int iteration = 0; iteration < graph->period(); ++iteration) {
      for (Rank source = 0; source < graph->workers(); ++source) {
        for (Rank destination = 0; destination < graph->workers(); ++destination) {
          REQUIRE(contains(graph->out_neighbors(source, iteration), destination) ==
                  contains(graph->in_neighbors(destination, iteration), source));
        }
      }
    }
  }
}

TEST_CASE("a graph is symmetric exactly if every worker sends to those it receives from") {
  for (const auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    bool is_symmetric = true;
    for (int iteration = 0; iteration < graph->period(); ++iteration) {
      for (Rank rank = 0; rank < graph->workers(); ++rank) {
        is_symmetric =
            is_symmetric && graph->out_neighbors(rank, iteration) == graph->in_neighbors(rank, iteration);
      }
    }
    CHECK(graph->is_symmetric() == is_symmetric);
    if (!is_symmetric) CHECK_THROWS_AS(graph->neighbors(0, 0), InvariantError);
  }
}

TEST_CASE("all members of a group of a graph name the same group") {
  int grouped = 0;
  for (const auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    if (!graph->is_grouped()) continue;
    ++grouped;
    for (int iteration = 0; iteration < graph->period(); ++iteration) {
      for (Rank rank = 0; rank < graph->workers(); ++rank) {
        const Ranks group = graph->group(rank, iteration);
        REQUIRE(contains(group, rank));
        for (const Rank member : group) REQUIRE(graph->group(member, iteration) == group);
      }
    }
  }
  CHECK(grouped == 9);
}

TEST_CASE("every graph repeats after its period, also after billions of iterations") {
  for (const auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    const std::int64_t later = std::int64_t{1'000'000'000'000} * graph->period();
    for (int iteration = 0; iteration < graph->period(); ++iteration) {
      CHECK(graph->out_neighbors(0, iteration) == graph->out_neighbors(0, iteration + later));
    }
  }
}

TEST_CASE("no graph repeats before its period, except where there are only two workers") {
  for (const auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    if (graph->workers() == 2) continue;
    for (int shift = 1; shift < graph->period(); ++shift) {
      bool is_repeated = true;
      for (int iteration = 0; iteration < graph->period(); ++iteration) {
        for (Rank rank = 0; rank < graph->workers(); ++rank) {
          is_repeated = is_repeated && graph->out_neighbors(rank, iteration) ==
                                           graph->out_neighbors(rank, iteration + shift);
        }
      }
      CHECK_FALSE(is_repeated);
    }
  }
}

TEST_CASE("every graph that is built is connected over its period") {
  for (const auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    CHECK(is_connected(*graph));
    CHECK_NOTHROW(check_connected("here", *graph));
  }
}

/// Workers of two halves that never meet, or where only the first half sends to the second.
class HalvesGraph final : public CommunicationGraph {
 public:
  explicit HalvesGraph(bool is_one_way) : CommunicationGraph({.workers = 4}), is_one_way_(is_one_way) {}
  void find_out_neighbors(Rank rank, std::int64_t, Ranks& found) const override {
    found = {rank ^ 1};
    if (is_one_way_ && rank == 1) found = {0, 2};
  }
  void find_in_neighbors(Rank rank, std::int64_t, Ranks& found) const override { found = {rank ^ 1}; }
  int out_degree(Rank, std::int64_t) const override { return 1; }
  int in_degree(Rank, std::int64_t) const override { return 1; }

 private:
  bool is_one_way_;
};

TEST_CASE("a graph in which some worker cannot be reached, or reaches no other, is not connected") {
  for (const bool is_one_way : {false, true}) {
    const HalvesGraph graph(is_one_way);
    CHECK_FALSE(is_connected(graph));
    CHECK_THROWS_WITH_AS(
        check_connected("here", graph),
        "here: worker 0 and worker 2 do not reach each other; every worker must reach every other",
        std::invalid_argument);
  }
}

TEST_CASE("every kind of graph is found by its name") {
  for (const Kind& of_all : kinds_of<CommunicationGraphKind>()) {
    const auto kind = communication_graph_kind(of_all.name);
    REQUIRE(kind.has_value());
    CHECK(std::visit([](const auto& of) { return of.name; }, *kind) == of_all.name);
  }
  CHECK(std::holds_alternative<CompleteGraph>(communication_graph_kind("fully_connected").value()));
  CHECK_FALSE(communication_graph_kind("hyperbola").has_value());
}

TEST_CASE("peers among a hundred thousand workers are found without a stored graph") {
  const Graph graph = graph_of(100'000, OnePeerExponentialGraph{});
  CHECK(graph->period() == 17);
  CHECK(graph->out_neighbors(99'999, 16) == Ranks{65'535});
  CHECK(graph->in_neighbors(0, 16) == Ranks{34'464});
  CHECK(is_connected(*graph));
}

TEST_CASE("a complete graph of a million workers is known to be connected without looking at its edges") {
  CHECK(is_connected(*graph_of(1 << 20, CompleteGraph{})));
}

}  // namespace
}  // namespace starling
