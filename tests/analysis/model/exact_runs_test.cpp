#include "analysis/model/exact_runs.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "sim/messages/transport.hpp"
#include "tests/analysis/running/log_difference.hpp"
#include "tests/analysis/running/random_scenario.hpp"
#include "tests/analysis/running/small_scenario.hpp"

namespace starling {
namespace {

// Both add up the same numbers in different orders.
constexpr double rounding = 1e-9;

void check_same(const Outcome& evaluated, const Outcome& sent) {
  CHECK(difference(evaluated.log, sent.log) < rounding);
  CHECK(evaluated.statistics.makespan_s == nearly(sent.statistics.makespan_s, rounding));
  CHECK(evaluated.statistics.messages == sent.statistics.messages);
  CHECK(evaluated.statistics.evaluated_messages == sent.statistics.messages);
  CHECK(evaluated.statistics.rendezvous_messages == sent.statistics.rendezvous_messages);
  CHECK(evaluated.statistics.bytes == nearly(sent.statistics.bytes, rounding));
  CHECK(evaluated.participation.contributions() == sent.participation.contributions());
  CHECK(evaluated.participation.iterations() == sent.participation.iterations());
  CHECK(evaluated.participation.max_lead_iterations() == sent.participation.max_lead_iterations());
}

Outcome outcome_of(const ScenarioJob& job, const RunEvaluator* evaluator) {
  return SimulatedMachine(job.scenario(), job.routes(), nullptr, {}, evaluator).try_out(job.run(0));
}

/// Holds a run to its messages if it is evaluated. Returns whether it is.
bool is_evaluated_right(const Scenario& scenario) {
  const ScenarioJob job(scenario);
  const ExactRuns exact_runs;
  const Outcome outcome = outcome_of(job, &exact_runs);
  const Outcome sent = outcome_of(job, nullptr);
  REQUIRE(sent.statistics.evaluated_messages == 0);
  if (outcome.statistics.evaluated_messages > 0)
    check_same(outcome, sent);
  else
    CHECK(difference(outcome.log, sent.log) == 0);
  return outcome.statistics.evaluated_messages > 0;
}

const std::vector<TrainingOptions> one_neighbor_at_a_time = {
    DpsgdOptions{.mixing = {.graph = OnePeerExponentialGraph{}}},
    DpsgdOptions{.mixing = {.graph = OnePeerRingGraph{}}},
    DpsgdOptions{.mixing = {.graph = OnePeerExponentialGraph{.pairs = ExponentialPairs::shift}},
                 .overlap = true},
    DpsgdOptions{.mixing = {.graph = OnePeerExponentialGraph{}}, .bucket_bytes = 1e6},
    SgpOptions{},
    SgpOptions{.bucket_bytes = 1e6},
    SgpOptions{.mixing = MixingOptions{.graph = RingGraph{.direction = RingDirection::right}}},
};

/// Of a star on which hosts have links of their own.
StarOptions uneven_star(int hosts, RandomChoices& choices) {
  StarOptions star{.link = {.bandwidth_Bps = 1e9, .latency_s = choices.magnitude(1e-7, 4)}};
  if (choices.flip()) return star;
  for (int host = 0; host < hosts; ++host)
    star.host_links.push_back(
        {.bandwidth_Bps = choices.magnitude(1e8, 2), .latency_s = choices.magnitude(1e-7, 4)});
  return star;
}

void make_uneven(Scenario& scenario, RandomChoices& choices) {
  if (choices.flip())
    scenario.imbalance.emplace_back(
        RandomFactor<Law::gamma>{.coefficient_of_variation = choices.magnitude(1e-3, 3)});
  if (choices.flip())
    scenario.imbalance.emplace_back(RandomDelay{.workers = 1, .delay_s = choices.magnitude(1e-4, 3)});
}

Scenario scenario_of_neighbors(std::uint64_t run) {
  RandomChoices choices(run);
  Scenario scenario = small_scenario();
  scenario.seed = run;
  scenario.iterations = 2 + choices.below(9);
  scenario.engine = choices.flip() ? Engine::event : Engine::fair;
  scenario.cluster.workers = run % 50 == 0 ? 512 : 2 * (1 + choices.below(20));
  scenario.cluster.network.kind = uneven_star(scenario.cluster.workers, choices);
  const std::vector<Transport>& all = transports();
  const Transport& chosen = all[static_cast<std::size_t>(choices.below(static_cast<int>(all.size())))];
  scenario.transport = chosen.name;
  scenario.message_costs = chosen.costs;
  if (choices.flip()) scenario.message_costs.overhead_s = choices.magnitude(1e-7, 4);
  if (choices.flip()) scenario.message_costs.eager_threshold_bytes = choices.magnitude(1e3, 5);
  if (choices.flip()) scenario.message_costs.reduction_s_per_byte = 1e-10;
  if (choices.flip()) scenario.workload.optimizer_s_per_byte = 1e-10;
  scenario.workload.model.tensors = {{"first", 1 + choices.below(2'000'000)}, {"second", choices.below(999)}};
  make_uneven(scenario, choices);
  add_algorithm(scenario, one_neighbor_at_a_time[run % one_neighbor_at_a_time.size()]);
  return scenario;
}

TEST_CASE("runs are evaluated as they are message by message, or not at all") {
  constexpr int runs = 300;
  int evaluated = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    CAPTURE(run);
    if (is_evaluated_right(scenario_of_neighbors(run))) ++evaluated;
  }
  // Sends without a receiver let models of two iterations meet, and sockets send all in order.
  CHECK(evaluated > runs / 3);
  CHECK(evaluated < runs);
}

/// Eight workers that differ, none of whose messages meet.
Scenario evaluated_scenario() {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 8;
  scenario.engine = Engine::event;
  scenario.message_costs = transport("mpi_ib").costs;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.1}};
  add_algorithm(scenario, one_neighbor_at_a_time.front());
  return scenario;
}

bool is_evaluated_with(void (*change)(Scenario&)) {
  Scenario scenario = evaluated_scenario();
  change(scenario);
  return is_evaluated_right(scenario);
}

TEST_CASE("whatever lets messages meet, or changes what they cost, takes messages") {
  CHECK(is_evaluated_with([](Scenario&) {}));
  CHECK(!is_evaluated_with([](Scenario& s) { s.collectives = CollectiveExecution::messages; }));
  CHECK(!is_evaluated_with([](Scenario& s) { s.engine = Engine::tcp; }));
  CHECK(!is_evaluated_with([](Scenario& s) { s.message_costs.wake_up_s = 1e-5; }));
  CHECK(!is_evaluated_with([](Scenario& s) { s.workload.communication_slowdown = 0.5; }));
  CHECK(!is_evaluated_with([](Scenario& s) { s.message_costs.send_buffer_bytes = 1e5; }));
  CHECK(!is_evaluated_with([](Scenario& s) {
    s.cluster.workers_per_host = 2;
    s.cluster.intra_host_link = {.bandwidth_Bps = 4e9, .latency_s = 1e-6};
  }));
  CHECK(!is_evaluated_with([](Scenario& s) {
    s.cluster.network.kind =
        LeafSpineOptions{.hosts_per_leaf = 2, .spines = 1, .link = {.bandwidth_Bps = 1e9, .latency_s = 1e-6}};
  }));
  CHECK(!is_evaluated_with([](Scenario& s) {
    s.algorithms.clear();
    add_algorithm(s, DpsgdOptions{});
  }));
  CHECK(!is_evaluated_with([](Scenario& s) {
    s.algorithms.clear();
    add_algorithm(s, SgpOptions{.overlap = 1});
  }));
}

}  // namespace
}  // namespace starling
