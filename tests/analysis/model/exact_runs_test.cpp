#include "analysis/model/exact_runs.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "sim/messages/transport.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/analysis/running/log_difference.hpp"
#include "tests/analysis/running/random_scenario.hpp"
#include "tests/analysis/running/small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// Checks that an evaluated run has the times, traffic and participation of the one that is sent.
void check_same(const Outcome& evaluated, const Outcome& sent) {
  CHECK(difference(evaluated.log, sent.log) < rounding_of_sums);
  CHECK(evaluated.statistics.makespan_s == about(sent.statistics.makespan_s, rounding_of_sums));
  CHECK(evaluated.statistics.messages == sent.statistics.messages);
  CHECK(evaluated.statistics.evaluated_messages == sent.statistics.messages);
  CHECK(evaluated.statistics.rendezvous_messages == sent.statistics.rendezvous_messages);
  CHECK(evaluated.statistics.bytes == about(sent.statistics.bytes, rounding_of_sums));
  CHECK(evaluated.participation.contributions() == sent.participation.contributions());
  CHECK(evaluated.participation.iterations() == sent.participation.iterations());
  CHECK(evaluated.participation.max_lead_iterations() == sent.participation.max_lead_iterations());
}

Outcome outcome_of(const ScenarioJob& job, const RunEvaluator* evaluator) {
  return SimulatedMachine(job.scenario(), job.routes(), nullptr, {}, evaluator).run_trial(job.run(0));
}

/// Checks that a run equals its simulation message by message. Returns whether it was evaluated.
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

const std::vector<TrainingOptions> in_collectives = {
    EagerOptions{.kind = EagerOptions::solo},
    EagerOptions{.kind = EagerOptions::majority},
    EagerOptions{.kind = EagerOptions::solo, .limiter = 2, .late_gradients = LateGradients::drop},
    EagerOptions{.kind = EagerOptions::majority, .model_sync_iterations = 3, .operation_cost_s = 1e-4},
    EagerOptions{.kind = EagerOptions::solo, .bucket_bytes = 1e6, .serialized = false},
    WagmaOptions{},
    WagmaOptions{.sync_period = 3, .fixed_groups = true, .bucket_bytes = 1e3},
    WagmaOptions{.group_size = 2, .published_code = true},
    DecentralizedAdamOptions{},
    DecentralizedAdamOptions{.graph = "one_peer_exponential"},
    DecentralizedAdamOptions{.graph = "one_peer_ring", .overlap = false},
    HorovodOptions{},
    HorovodOptions{.cycle_time_s = 1.7e-4, .fusion_bytes = 1e6},
    ByteSchedulerOptions{},
    ByteSchedulerOptions{.partition_bytes = 1e6, .credit_bytes = 2e6, .host_time_s = 1e-3},
};

/// A star whose links are all alike or, in half of the cases, differ from host to host.
StarOptions uneven_star(int hosts, RandomChoices& choices) {
  const LinkOptions link{.bandwidth_Bps = 1e9, .latency_s = choices.magnitude(1e-7, 4)};
  if (choices.flip()) return {.link = link};
  StarOptions star;
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

Scenario scenario_without_algorithms(std::uint64_t run, RandomChoices& choices) {
  Scenario scenario = small_scenario();
  scenario.seed = run;
  scenario.iterations = 2 + choices.below(9);
  scenario.engine = choices.flip() ? Engine::event : Engine::fair;
  const Transport chosen = choices.one_of(transports());
  scenario.transport = chosen.name;
  scenario.message_costs = chosen.costs;
  if (choices.flip()) scenario.message_costs.overhead_s = choices.magnitude(1e-7, 4);
  if (choices.flip()) scenario.message_costs.eager_threshold_bytes = choices.magnitude(1e3, 5);
  if (choices.flip()) scenario.message_costs.reduction_s_per_byte = 1e-10;
  if (choices.flip()) scenario.workload.optimizer_s_per_byte = 1e-10;
  scenario.workload.model.tensors = {{"first", 1 + choices.below(2'000'000)}, {"second", choices.below(999)}};
  make_uneven(scenario, choices);
  return scenario;
}

Scenario scenario_of_neighbors(std::uint64_t run) {
  RandomChoices choices(run);
  Scenario scenario = scenario_without_algorithms(run, choices);
  scenario.cluster.workers = run % 50 == 0 ? 512 : 2 * (1 + choices.below(20));
  scenario.cluster.network.kind = uneven_star(scenario.cluster.workers, choices);
  add_algorithm(scenario, one_neighbor_at_a_time[run % one_neighbor_at_a_time.size()]);
  return scenario;
}

Scenario scenario_of_collectives(std::uint64_t run) {
  RandomChoices choices(run);
  Scenario scenario = scenario_without_algorithms(run, choices);
  scenario.cluster.workers = run % 50 == 0 ? 256 : 4 << choices.below(4);
  if (choices.flip()) {
    scenario.cluster.network.kind = uneven_star(scenario.cluster.workers, choices);
  } else {
    scenario.cluster.network.kind = random_network(
        choices, {.bandwidth_Bps = choices.magnitude(1e8, 3), .latency_s = choices.magnitude(1e-7, 4)});
    scenario.cluster.workers_per_host = 1 << choices.below(2);
    if (scenario.cluster.workers_per_host > 1)
      scenario.cluster.intra_host_link = {.bandwidth_Bps = 1e10, .latency_s = 1e-6};
  }
  if (choices.below(3) > 0) {  // messages wait for each other only on links, not for overheads
    scenario.engine = Engine::fair;
    scenario.message_costs.overhead_s = 0;
    if (choices.flip()) scenario.message_costs.reduction_s_per_byte = 0;
  }
  add_algorithm(scenario, in_collectives[run % in_collectives.size()]);
  return scenario;
}

constexpr int compared_runs = has_address_sanitizer ? 40 : 300;

/// How many of the random runs of this kind are evaluated. Checks each against its messages.
int evaluated_runs(Scenario (*scenario)(std::uint64_t run)) {
  int evaluated = 0;
  for (std::uint64_t run = 0; run < compared_runs; ++run) {
    CAPTURE(run);
    if (is_evaluated_right(scenario(run))) ++evaluated;
  }
  return evaluated;
}

TEST_CASE("runs of gossip algorithms are evaluated with the results of their messages, or not at all") {
  const int evaluated = evaluated_runs(scenario_of_neighbors);
  // Not all: with eager sends, models of two iterations may meet on a link, and sockets send in order.
  CHECK(evaluated > compared_runs / 3);
  CHECK(evaluated < compared_runs);
}

TEST_CASE("runs of collectives are evaluated with the results of their messages, or not at all") {
  const int evaluated = evaluated_runs(scenario_of_collectives);
  // Not all: half of the networks are oversubscribed, and in some of the others routes share links.
  CHECK(evaluated > compared_runs / 6);
  CHECK(evaluated < compared_runs);
}

/// A run that is evaluated: eight unequal workers, none of whose messages wait for each other.
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

TEST_CASE("a run in which messages can meet or cost more is simulated message by message") {
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

TEST_CASE(
    "a run is simulated by messages where rendezvous answers may wait behind data of at most a packet") {
  CHECK(is_evaluated_with([](Scenario& s) {
    s.engine = Engine::fair;
    s.workload.model.tensors = {{"first", 200}, {"second", 176}};
    s.message_costs.eager_threshold_bytes = 0;
  }));
  CHECK(!is_evaluated_with([](Scenario& s) {
    s.engine = Engine::fair;
    s.workload.model.tensors = {{"first", 200},
                                {"second", 175}};  // 375 elements of 4 bytes: a packet of 1500 B
    s.message_costs.eager_threshold_bytes = 0;
  }));
}

TEST_CASE("overlapping averages of groups with two common workers are simulated by messages") {
  Scenario scenario = small_scenario();
  scenario.iterations = 3;
  scenario.cluster.workers = 16;
  scenario.cluster.workers_per_host = 2;
  scenario.cluster.intra_host_link = {.bandwidth_Bps = 5e9, .latency_s = 1e-6};
  scenario.cluster.network.kind = RingOptions{.link = {.bandwidth_Bps = 1e10, .latency_s = 1e-4}};
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.1}};
  add_algorithm(scenario, DecentralizedAdamOptions{.bucket_bytes = 1e6});
  const auto is_evaluated_with_tensors_of = [&](std::int64_t elements) {
    scenario.workload.model.tensors.assign(12, {"tensor", elements});
    scenario.workload.model.layers = {{"first", "Linear", 0, 6, 1}, {"second", "Linear", 6, 6, 1}};
    return is_evaluated_right(scenario);
  };
  CHECK(is_evaluated_with_tensors_of(1'000));
  CHECK(!is_evaluated_with_tensors_of(10'000'000));
}

TEST_CASE("operations in flight at the same time are simulated by messages") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 4;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.1}};
  const auto is_evaluated_with_tensors_of = [&](const TrainingOptions& options, std::int64_t elements) {
    scenario.algorithms.clear();
    add_algorithm(scenario, options);
    scenario.workload.model.tensors.assign(12, {"tensor", elements});
    scenario.workload.model.layers = {{"first", "Linear", 0, 6, 1}, {"second", "Linear", 6, 6, 1}};
    CAPTURE(options.kind());
    return is_evaluated_right(scenario);
  };
  for (const TrainingOptions& options :
       {TrainingOptions(WagmaOptions{.bucket_bytes = 1e6, .serialized = false}),
        TrainingOptions(
            EagerOptions{.kind = EagerOptions::majority, .bucket_bytes = 1e6, .serialized = false})}) {
    CHECK(is_evaluated_with_tensors_of(options, 10));
    CHECK(!is_evaluated_with_tensors_of(options, 1'000'000));
  }
}

TEST_CASE(
    "rounding decides as in the simulation whether a Horovod cycle takes tensors that are ready just as it "
    "begins") {
  Scenario scenario = small_scenario();
  scenario.engine = Engine::fair;
  scenario.transport = "nccl_ib";
  scenario.message_costs = transport("nccl_ib").costs;
  constexpr int most_cycles = 30;
  int evaluated = 0;
  for (const double cycle_time_s :
       {1.3e-3, 3e-3}) {  // repeated sums of these are below, or above, the multiple
    scenario.algorithms.clear();
    add_algorithm(scenario, HorovodOptions{.cycle_time_s = cycle_time_s});
    for (int cycles = 1; cycles <= most_cycles; ++cycles) {
      CAPTURE(cycles);
      const double compute_s = cycles * cycle_time_s;
      scenario.workload.forward_s = {compute_s / 4, compute_s / 4};
      scenario.workload.backward_s = {compute_s * 0.2, compute_s * 0.3};
      if (is_evaluated_right(scenario)) ++evaluated;
    }
  }
  CHECK(evaluated > most_cycles);  // some are not evaluated, as both sums are equal
}

TEST_CASE("a run with announcements or notifications larger than a packet is simulated by messages") {
  for (const TrainingOptions& options :
       {TrainingOptions(ByteSchedulerOptions{}), TrainingOptions(WagmaOptions{})}) {
    Scenario scenario = evaluated_scenario();
    scenario.engine = Engine::fair;
    scenario.transport = "nccl_ib";
    scenario.message_costs = transport("nccl_ib").costs;
    scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 1e-3}};
    scenario.algorithms.clear();
    add_algorithm(scenario, options);
    CAPTURE(options.kind());
    CHECK(is_evaluated_right(scenario));
    scenario.message_costs.protocols = {{.name = "wasteful", .efficiency = 1e-3}};
    CHECK(!is_evaluated_right(scenario));
  }
}

}  // namespace
}  // namespace starling
