#include <doctest/doctest.h>

#include <cstddef>

#include "analysis/running/run_result.hpp"
#include "analysis/running/runner.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("Windows and rates above what routes carry change no result, and collectives stay evaluated") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.1}};
  add_algorithm(scenario, AllreduceOptions{.collective = "ring"});
  const RunResult unlimited = simulate(scenario).runs[0];
  scenario.fair.window_bytes = 1e6;
  scenario.fair.connection_rate_Bps = 1e9;
  const RunResult limited = simulate(scenario).runs[0];
  CHECK(limited.iteration_time_s.mean == unlimited.iteration_time_s.mean);
  CHECK(*limited.traffic.evaluated_messages == limited.traffic.messages);
  scenario.collectives = CollectiveExecution::messages;
  CHECK(simulate(scenario).runs[0].iteration_time_s.mean ==
        about(limited.iteration_time_s.mean, rounding_of_sums));
  scenario.collectives = CollectiveExecution::automatic;
  scenario.fair.connection_rate_Bps = 9e8;
  CHECK(*simulate(scenario).runs[0].traffic.evaluated_messages == 0);
}

TEST_CASE("Evaluated collectives take as long as their messages") {
  Scenario scenario = small_scenario();
  scenario.message_costs.overhead_s = 1e-6;
  scenario.message_costs.reduction_s_per_byte = 1e-11;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.2}};
  scenario.cluster.workers_per_host = 2;
  scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 2e9, .latency_s = 3e-6};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, WfbpOptions{});
  add_algorithm(scenario, DdpOptions{.bucket_bytes = 1e6});
  add_algorithm(scenario, DearOptions{.bucket_bytes = 1e6});
  for (const Engine engine : {Engine::event, Engine::fair}) {
    scenario.engine = engine;
    scenario.collectives = CollectiveExecution::automatic;
    const Result evaluated = simulate(scenario);
    scenario.collectives = CollectiveExecution::messages;
    const Result by_message = simulate(scenario);

    CHECK(evaluated.simulation.events < by_message.simulation.events / 2);
    for (std::size_t i = 0; i < by_message.runs.size(); ++i) {
      const RunResult& fast = evaluated.runs[i];
      const RunResult& slow = by_message.runs[i];
      CHECK(fast.iteration_time_s.mean == about(slow.iteration_time_s.mean, rounding));
      CHECK(fast.iteration_time_s.std == about(slow.iteration_time_s.std, 1e-9));  // a difference of sums
      CHECK(fast.makespan_s == about(slow.makespan_s, rounding));
      CHECK(fast.breakdown_s.exposed_communication == about(slow.breakdown_s.exposed_communication, 1e-9));
      CHECK(fast.traffic.messages == slow.traffic.messages);
      CHECK(fast.traffic.bytes == slow.traffic.bytes);
    }
  }
}

TEST_CASE("Collectives limited by windows are not evaluated by the bandwidth of links") {
  Scenario scenario = small_scenario();
  scenario.engine = Engine::fair;
  add_algorithm(scenario, AllreduceOptions{});
  const double without_window_s = simulate(scenario).runs[0].iteration_time_s.mean;
  scenario.fair.window_bytes = 1e3;
  const double mean_s = simulate(scenario).runs[0].iteration_time_s.mean;
  scenario.collectives = CollectiveExecution::messages;
  CHECK(mean_s == about(simulate(scenario).runs[0].iteration_time_s.mean, rounding));
  CHECK(mean_s > small_compute_s + 4 * (without_window_s - small_compute_s));
}

TEST_CASE("Collectives limited by the rate of connections are not evaluated by the bandwidth of links") {
  Scenario scenario = small_scenario();
  scenario.fair.connection_rate_Bps = 0.5e9;
  add_algorithm(scenario, AllreduceOptions{});
  CHECK(simulate(scenario).runs[0].iteration_time_s.mean ==
        about(small_compute_s + small_allreduce_s + 6e-3, rounding_of_sums));
}

}  // namespace
}  // namespace starling
