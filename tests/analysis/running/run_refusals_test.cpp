#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "analysis/running/run_result.hpp"
#include "analysis/running/runner.hpp"
#include "io/scenario_error.hpp"
#include "small_scenario.hpp"

namespace starling {
namespace {

TEST_CASE("An algorithm that does not fit the cluster is reported before anything runs") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 3;
  scenario.cluster.workers_per_host = 2;
  scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 1e9, .latency_s = 0};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, AllreduceOptions{.collective = "hierarchical"});
  bool has_run = false;
  try {
    simulate(scenario, {.run_finished = [&](const Result&, const IterationLog&) { has_run = true; }});
    FAIL("nothing was thrown");
  } catch (const ScenarioError& error) {
    CHECK(std::string(error.what()).starts_with("small.json: /algorithms/1: "));
  }
  CHECK_FALSE(has_run);
}

TEST_CASE("A collective that does not fit the cluster is refused at its own place") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 6;
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DearOptions{.collective = "halving_doubling"});
  CHECK_THROWS_WITH_AS(
      simulate(scenario),
      "small.json: /algorithms/1/collective: recursive halving reduce-scatter needs a power of "
      "two of ranks, got 6",
      ScenarioError);
}

TEST_CASE("Errors of algorithms that do not fit the cluster say what they need") {
  const CommunicationGraphKind disconnected = EdgeListGraph{.edges = {{0, 1, {}}}};
  const CommunicationGraphKind lopsided =
      EdgeListGraph{.edges = {{0, 1, 0.5}, {1, 0, 0.4}}, .is_directed = true};
  struct Case {
    int workers;
    TrainingOptions options;
    std::string message;
  };
  const std::vector<Case> cases = {
      {6, EagerOptions{}, "eager_solo: workers is 6; it must be a power of two"},
      {6, WagmaOptions{}, "wagma: workers is 6; it must be a power of two"},
      {4, WagmaOptions{.group_size = 3},
       "wagma: group_size is 3; it must be a power of two from 1 to 4, or \"sqrt\" for √P"},
      {4, WagmaOptions{.group_size = 8},
       "wagma: group_size is 8; it must be a power of two from 1 to 4, or \"sqrt\" for √P"},
      {4, DpsgdOptions{.mixing = {.graph = disconnected}},
       "dpsgd: graph edge_list: worker 0 and worker 2 do not reach each other; every worker must reach every "
       "other"},
      {2, DpsgdOptions{.mixing = {.graph = lopsided}},
       "dpsgd: mixing matrix: the weights given to worker 0's model in iteration 0 sum to 1.1, but must sum "
       "to 1"},
      {4, DpsgdOptions{.mixing = {.graph = StarGraph{}, .rule = MixingRule::uniform}},
       "dpsgd: mixing matrix: the weights given to worker 0's model in iteration 0 sum to 1.75, but must sum "
       "to 1"},
      {6, DpsgdOptions{.mixing = {.graph = HypercubeGraph{}}},
       "dpsgd: graph hypercube: the number of workers must be a power of two, got 6"},
      {3, AdpsgdOptions{}, "adpsgd: there are 3 workers; the published pairing needs an even number"},
      {4, AdpsgdOptions{.mixing = MixingOptions{.graph = CompleteGraph{}}},
       "adpsgd: ranks 0 and 1 are on a cycle of odd length; the graph must be bipartite"},
      {4, AdpsgdOptions{.mixing = MixingOptions{.graph = OnePeerRingGraph{}}},
       "adpsgd: the graph changes from iteration to iteration; it must be the same in all"},
      {4, SgpOptions{.neighbors = 3}, "sgp: neighbors is 3; with 4 workers it must be 1 … 2"},
      {4, SgpOptions{.neighbors = 3, .per_host = true},
       "sgp: with per_host the 4 hosts are the workers of the graph: neighbors is 3; with 4 workers it must "
       "be 1 … 2"},
      {6, DecentralizedAdamOptions{},
       "decentralized_adam: graph alternating_exponential_ring: the number of hosts must be a power of two, "
       "got 6; \"complete\" fits any number of workers"},
  };
  for (const Case& tried : cases) {
    Scenario scenario = small_scenario();
    scenario.cluster.workers = tried.workers;
    add_algorithm(scenario, tried.options);
    const std::string message = "small.json: /algorithms/0: " + tried.message;
    CHECK_THROWS_WITH_AS(simulate(scenario), message.c_str(), ScenarioError);
    scenario.changes.push_back(parse_override("/algorithms/0={}"));
    const std::string of_option = "--set /algorithms/0={}: /algorithms/0: " + tried.message;
    CHECK_THROWS_WITH_AS(simulate(scenario), of_option.c_str(), ScenarioError);
  }
}

}  // namespace
}  // namespace starling
