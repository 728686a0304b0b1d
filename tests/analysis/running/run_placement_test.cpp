#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/results/files/result_json.hpp"
#include "analysis/results/result_table.hpp"
#include "analysis/running/run_result.hpp"
#include "analysis/running/runner.hpp"
#include "io/scenario_error.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"
#include "torus_scenario.hpp"

namespace starling {
namespace {

TEST_CASE("A ring placed along a snake, or optimized for its traffic, shares no links") {
  // 2(P−1) steps of a latency and a chunk of m/P bytes, for P = 32 and m = 4 MB, between adjacent hosts.
  const double closed_form_s = 2 * 31 * 1e-6 + 2 * 31.0 / 32 * 4e6 * 1e-9;
  const auto allreduce_s_on = [](const PlacementOptions& placement) {
    return simulate(ring_on_torus(placement)).runs[0].iteration_time_s.mean - small_compute_s;
  };
  CHECK(allreduce_s_on({.name = "snake"}) == about(closed_form_s, 1e-6));
  CHECK(allreduce_s_on({.name = "optimized"}) == about(closed_form_s, 1e-6));
  CHECK(allreduce_s_on({}) > 1.5 * closed_form_s);
}

TEST_CASE("Under every engine messages go between the hosts that ranks are placed on") {
  const double closed_form_s = 2 * 7 * 1e-6 + 2 * 7.0 / 8 * 4e6 * 1e-9;
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::tcp, Engine::fair}) {
    // A cycle around the 2 × 4 torus that does not begin at host 0.
    Scenario scenario = on_torus(1, {.hosts = {6, 5, 4, 0, 1, 2, 3, 7}});
    scenario.engine = engine;
    scenario.tcp.acknowledgment_bytes = 0;
    add_algorithm(scenario, AllreduceOptions{.collective = "ring"});
    // SimGrid's clock sums the steps of all messages, that of tcp those of all frames. A rank on a wrong host
    // would add at least a latency of 1 µs, 1.4e-4, and chunks that share a link.
    CHECK(simulate(scenario).runs[0].iteration_time_s.mean - small_compute_s == about(closed_form_s, 1e-4));
  }
}

TEST_CASE("For SGP with its changing partners an optimized placement is not slower than blocks") {
  const auto sgp_s_on = [](const std::string& placement) {
    Scenario scenario = small_scenario();
    scenario.cluster = {.workers = 16,
                        .network = {.kind = TorusOptions{.dimensions = {4, 4},
                                                         .link = {.bandwidth_Bps = 1e9, .latency_s = 1e-6}}},
                        .placement = {.name = placement}};
    scenario.iterations = scenario.warmup_iterations + 8;
    add_algorithm(scenario, SgpOptions{});
    return simulate(scenario).runs[0].iteration_time_s.mean;
  };
  CHECK(sgp_s_on("optimized") <= sgp_s_on("block") * (1 + rounding_of_sums));
}

TEST_CASE("A result says which algorithms a placement was optimized for, and the host of each rank") {
  Scenario scenario = ring_on_torus({.name = "optimized"});
  add_algorithm(scenario, DpsgdOptions{});
  const Result result = simulate(scenario);
  REQUIRE(result.placement.has_value());
  CHECK(result.placement->name == "optimized");
  CHECK(result.placement->optimized_for == std::vector<std::string>{"allreduce", "dpsgd"});
  CHECK(result.placement->hosts.size() == 32);
  CHECK(result_json(result).at("placement").at("hosts").size() == 32);
  const std::string table = result_table(result);
  CHECK(table.find("placement optimized for the traffic of allreduce, dpsgd, equally weighted") !=
        std::string::npos);
  CHECK(!simulate(ring_on_torus({})).placement.has_value());
}

TEST_CASE("Algorithms that need consecutive ranks on a host are refused for other placements") {
  const PlacementOptions apart{.name = "round_robin"};
  const std::vector<std::pair<TrainingOptions, std::string>> algorithms = {
      {AllreduceOptions{.collective = "hierarchical"}, "small.json: /algorithms/0/collective: "},
      {SgpOptions{.per_host = true}, "small.json: /algorithms/0: "},
      {DecentralizedAdamOptions{.graph = "alternating_exponential_ring"}, "small.json: /algorithms/0: "}};
  for (const auto& [options, place] : algorithms) {
    Scenario together = on_torus(2, {.name = "snake"});
    add_algorithm(together, options);
    CHECK_NOTHROW(simulate(together));
    Scenario parted = on_torus(2, apart);
    add_algorithm(parted, options);
    std::string message;
    try {
      simulate(parted);
    } catch (const ScenarioError& error) {
      message = error.what();
    }
    CHECK(message.starts_with(place));
    CHECK(message.find("needs the ranks of a host to be consecutive") != std::string::npos);
  }
}

TEST_CASE("All algorithms run under every placement, the same with and without evaluated collectives") {
  for (const char* name : {"block", "round_robin", "random", "snake", "optimized"}) {
    Scenario scenario = on_torus(2, {.name = name});
    add_all_algorithms(scenario);
    scenario.algorithms.pop_back();
    add_algorithm(scenario, DecentralizedAdamOptions{.graph = "one_peer_exponential"});
    const Result evaluated = simulate(scenario);
    scenario.collectives = CollectiveExecution::messages;
    const Result messages = simulate(scenario);
    for (std::size_t i = 0; i < messages.runs.size(); ++i)
      CHECK(evaluated.runs[i].iteration_time_s.mean ==
            about(messages.runs[i].iteration_time_s.mean, rounding * 1000));
  }
}

}  // namespace
}  // namespace starling
