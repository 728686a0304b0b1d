// The engines `fair` and `simgrid` are both fluid models of links shared max-min fairly, and must agree.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "analysis/running/runner.hpp"
#include "random_scenario.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr std::uint64_t runs_by_both = has_address_sanitizer ? 25 : 500;
/// Half of the epsilon by which shares under `fair` may be off: errors of single messages average out over an
/// iteration, and computing has none.
constexpr double difference_of_both = 1e-3;

/// A star of equal or unequal links. Latencies are equal, as SimGrid weighs shares by them and `fair` does
/// not.
StarOptions star_of_any_links(RandomChoices& choices, int hosts) {
  const double latency_s = choices.one_of<double>({1e-6, 5e-6, 20e-6});
  const auto any_link = [&] {
    const double Gbps = choices.one_of<double>({1, 2, 5, 10, 25});
    return LinkOptions{.bandwidth_Bps = 1e9 / 8 * Gbps, .latency_s = latency_s};
  };
  StarOptions star{.link = any_link()};
  if (choices.flip()) {
    star.link = {};
    for (int host = 0; host < hosts; ++host) star.host_links.push_back(any_link());
  }
  return star;
}

/// A random algorithm without those that amplify the least difference: horovod starts a cycle later,
/// double_tree reorders messages on unequal links. Nor eager-SGD and WAGMA-SGD, where small messages decide
/// which workers are active: under `fair` these share no link.
TrainingOptions algorithm_that_fits(RandomChoices& choices, int workers) {
  std::vector<TrainingOptions> fitting = {AllreduceOptions{},
                                          AllreduceOptions{.collective = "recursive_doubling"},
                                          AllreduceOptions{.collective = "halving_doubling"},
                                          WfbpOptions{},
                                          DdpOptions{},
                                          MgWfbpOptions{},
                                          ByteSchedulerOptions{},
                                          DearOptions{},
                                          LocalSgdOptions{.sync_period = 2},
                                          DpsgdOptions{},
                                          DpsgdOptions{.overlap = true},
                                          DpsgdOptions{.mixing = {.graph = CompleteGraph{}}},
                                          SgpOptions{},
                                          SgpOptions{.overlap = 1}};
  if (workers % 2 == 0) {
    fitting.emplace_back(AdpsgdOptions{});
    fitting.emplace_back(DecentralizedAdamOptions{.graph = "one_peer_ring"});
  }
  if (std::has_single_bit(static_cast<unsigned>(workers)))
    fitting.emplace_back(DecentralizedAdamOptions{.graph = "one_peer_exponential"});
  return choices.one_of(fitting);
}

Scenario scenario_for_both(std::uint64_t run) {
  RandomChoices choices(run);
  Scenario scenario = small_scenario();
  scenario.seed = run;
  scenario.workload.model.tensors = {{"first", 600'000}, {"second", 1 + choices.below(400'000)}};
  scenario.cluster.workers = choices.one_of<int>({3, 4, 5, 6, 7, 8, 8, 10, 12, 16, 16});
  scenario.cluster.network.kind = star_of_any_links(choices, scenario.cluster.workers);
  if (choices.flip()) scenario.collectives = CollectiveExecution::messages;
  scenario.imbalance = {
      choices.one_of<Imbalance>({RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.2},
                                 RandomFactor<Law::gamma>{.coefficient_of_variation = 0.1},
                                 RandomDelay{.workers = 1, .delay_s = 0.03}})};
  add_algorithm(scenario, algorithm_that_fits(choices, scenario.cluster.workers));
  return scenario;
}

TEST_CASE(
    "Iteration times by fair equal those by simgrid on random stars with random algorithms and delays") {
  for (std::uint64_t run = 0; run < runs_by_both; ++run) {
    Scenario scenario = scenario_for_both(run);
    const auto iteration_s = [&](Engine engine) {
      scenario.engine = engine;
      return simulate(scenario).runs.front().iteration_time_s.mean;
    };
    CAPTURE(run);
    CAPTURE(scenario.algorithms.front().label);
    CAPTURE(scenario.cluster.workers);
    CHECK(iteration_s(Engine::fair) == about(iteration_s(Engine::simgrid), difference_of_both));
  }
}

}  // namespace
}  // namespace starling
