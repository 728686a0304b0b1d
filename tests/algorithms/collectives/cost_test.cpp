#include "algorithms/collectives/cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "algorithms/collectives/runner.hpp"
#include "algorithms/collectives/schedules/butterfly.hpp"
#include "algorithms/collectives/schedules/fold.hpp"
#include "tests/algorithms/collectives/all_schedules.hpp"
#include "tests/algorithms/collectives/lockstep.hpp"
#include "tests/algorithms/collectives/star_world.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// A schedule with the formula of its time in seconds, and what decides whether a simulation takes exactly
/// that.
struct CostCase {
  std::unique_ptr<Schedule> schedule;
  std::function<double(double bytes, const LinearCosts&)> formula;
  /// All ranks do the same at the same time, so nobody's message comes before its receiver is ready.
  bool is_even = true;
  /// A rank sends again before its last message has left, so that both share its link.
  bool sends_in_a_row = false;
};

int core_size(int ranks) { return Fold(ranks).core_size(); }

/// A number of elements that divides into equal chunks for P ranks, for the core of a fold, and for the
/// double tree's segments below.
std::int64_t even_count(int ranks) { return std::int64_t{ranks} * core_size(ranks) * 24; }

std::vector<CostCase> exchange_cases(int ranks) {
  using namespace cost;
  const std::int64_t count = even_count(ranks);
  const auto with_ranks = [ranks](auto formula) {
    return [ranks, formula](double bytes, const LinearCosts& costs) { return formula(ranks, bytes, costs); };
  };
  const bool is_even = is_power_of_two(ranks);
  std::vector<CostCase> cases;
  const auto add = [&](std::unique_ptr<Schedule> schedule, auto formula, bool is_even_here) {
    cases.push_back({std::move(schedule), with_ranks(formula), is_even_here});
  };
  add(make_reduce_scatter(CollectiveKind::ring, ranks, count), ring_reduce_scatter, true);
  add(make_allgather(CollectiveKind::ring, ranks, count), ring_allgather, true);
  add(make_allreduce(CollectiveKind::ring, ranks, count), ring_allreduce, true);
  add(make_allreduce(CollectiveKind::recursive_doubling, ranks, count), recursive_doubling_allreduce,
      is_even);
  add(make_allreduce(CollectiveKind::halving_doubling, ranks, count), halving_doubling_allreduce, is_even);
  if (is_even) {
    add(make_reduce_scatter(CollectiveKind::halving_doubling, ranks, count), recursive_halving_reduce_scatter,
        true);
    add(make_allgather(CollectiveKind::halving_doubling, ranks, count), recursive_doubling_allgather, true);
    add(
        make_group_allreduce(ranks, count, ranks / 2, 1),
        [](int p, double bytes, const LinearCosts& costs) {
          return butterfly_group_allreduce(p / 2, bytes, costs);
        },
        true);
  }
  return cases;
}

std::vector<CostCase> all_cases(int ranks) {
  const std::int64_t count = even_count(ranks);
  const bool is_even = is_power_of_two(ranks);
  std::vector<CostCase> cases = exchange_cases(ranks);
  cases.push_back(
      {make_reduce(ranks, count, ranks - 1),
       [ranks](double bytes, const LinearCosts& costs) { return cost::binomial_reduce(ranks, bytes, costs); },
       is_even});
  cases.push_back({make_broadcast(ranks, count, ranks / 2),
                   [ranks](double bytes, const LinearCosts& costs) {
                     return cost::binomial_broadcast(ranks, bytes, costs);
                   },
                   is_even, true});
  return cases;
}

double simulated_s(const Schedule& schedule, const MessageCosts& costs, ModelUnderTest model) {
  return run_on_star(
             schedule.ranks(), costs,
             [&](Worker& worker) { run_schedule(worker, schedule, Buffer::sized(schedule.count()), 1); },
             model)
      .makespan_s;
}

double bytes_of(const Schedule& schedule) {
  return static_cast<double>(schedule.count()) * Buffer::bytes_per_float;
}

/// The accuracy that algorithms/README.md promises. The event model is exact up to rounding; SimGrid takes
/// moments within 1e-12 s as one, of times of some microseconds.
constexpr double promised_accuracy = 1e-6;

void check_equal(double found_s, double expected_s, double relative) {
  CHECK_LE(std::abs(found_s - expected_s), relative * expected_s);
}

constexpr double some_reduction_s_per_byte = 5e-11;
constexpr double overhead_s = 7e-7;

/// Messages leave at once.
MessageCosts eager() { return {.overhead_s = overhead_s, .reduction_s_per_byte = some_reduction_s_per_byte}; }
LinearCosts eager_costs() {
  return {.start_up_s = Star::latency_s + 2 * overhead_s,
          .s_per_byte = 1 / Star::bandwidth_Bps,
          .reduction_s_per_byte = some_reduction_s_per_byte};
}

/// Messages wait for their receiver: three crossings of the network each, request, answer and data.
MessageCosts rendezvous() {
  return {.reduction_s_per_byte = some_reduction_s_per_byte, .eager_threshold_bytes = 0};
}
LinearCosts rendezvous_costs() {
  return {.start_up_s = 3 * Star::latency_s,
          .s_per_byte = 1 / Star::bandwidth_Bps,
          .reduction_s_per_byte = some_reduction_s_per_byte};
}

constexpr std::array models{ModelUnderTest::event, ModelUnderTest::simgrid};

}  // namespace

TEST_CASE("the formula for a ring of unlike hops is that of a ring if all hops cost the same") {
  const LinearCosts costs = eager_costs();
  const StepCosts ring{.mean = costs, .slowest = costs};
  for (const int ranks : {1, 2, 7})
    CHECK(cost::unlike_ring_allreduce(ranks, 1e6, ring) == cost::ring_allreduce(ranks, 1e6, costs));
}

TEST_CASE("every cost formula is the time of its rounds if each begins when both ends are ready") {
  for (const int ranks : test_ranks) {
    if (ranks == 1) continue;
    for (const CostCase& tested : all_cases(ranks)) {
      CAPTURE(ranks);
      CAPTURE(tested.schedule->name());
      const double formula_s = tested.formula(bytes_of(*tested.schedule), eager_costs());
      check_equal(lockstep_s(*tested.schedule, Buffer::bytes_per_float, eager_costs()), formula_s, rounding);
    }
  }
}

TEST_CASE("simulated collectives take the time of their formulas where all ranks do the same") {
  for (const ModelUnderTest model : models) {
    for (const int ranks : test_ranks) {
      if (ranks == 1) continue;
      for (const CostCase& tested : all_cases(ranks)) {
        // SimGrid's flows from one sender share its link; the event model sends one after the other.
        const bool is_shared = tested.sends_in_a_row && model == ModelUnderTest::simgrid;
        if (!tested.is_even || is_shared) continue;
        CAPTURE(ranks);
        CAPTURE(tested.schedule->name());
        const double formula_s = tested.formula(bytes_of(*tested.schedule), eager_costs());
        check_equal(simulated_s(*tested.schedule, eager(), model), formula_s, promised_accuracy);
      }
    }
  }
}

TEST_CASE("simulated collectives take the time of their formulas where messages wait for their receiver") {
  for (const ModelUnderTest model : models) {
    for (const int ranks : test_ranks) {
      if (ranks == 1) continue;
      for (const CostCase& tested : all_cases(ranks)) {
        // Where ranks have different numbers of children, a request is there before its receiver asks for it.
        if (!tested.is_even && tested.schedule->name() == "binomial reduce") continue;
        CAPTURE(ranks);
        CAPTURE(tested.schedule->name());
        const double formula_s = tested.formula(bytes_of(*tested.schedule), rendezvous_costs());
        check_equal(simulated_s(*tested.schedule, rendezvous(), model), formula_s, promised_accuracy);
      }
    }
  }
}

TEST_CASE("ranks at different steps save at most one short message, and lose at most an overhead a round") {
  for (const int ranks : test_ranks) {
    if (ranks == 1) continue;
    for (const CostCase& tested : all_cases(ranks)) {
      if (tested.is_even) continue;
      CAPTURE(ranks);
      CAPTURE(tested.schedule->name());
      const double bytes = bytes_of(*tested.schedule);
      const double formula_s = tested.formula(bytes, eager_costs());
      const double message_s =
          eager_costs().start_up_s + bytes * (1 / Star::bandwidth_Bps + some_reduction_s_per_byte);
      const double found_s = simulated_s(*tested.schedule, eager(), ModelUnderTest::event);
      // A message that arrives before its receiver is ready is received first, which delays what the receiver
      // sends by the overhead o.
      CHECK_LE(found_s, formula_s + tested.schedule->rounds(0) * overhead_s);
      CHECK_GE(found_s, formula_s - message_s);
    }
  }
}

TEST_CASE("long messages between ranks at different steps arrive early, or slow other messages") {
  for (const int ranks : {3, 5, 6, 7, 9, 17}) {
    for (const CollectiveKind kind : {CollectiveKind::recursive_doubling, CollectiveKind::halving_doubling}) {
      const auto schedule = make_allreduce(kind, ranks, 10'000 * even_count(ranks));
      CAPTURE(ranks);
      CAPTURE(schedule->name());
      const auto formula = kind == CollectiveKind::recursive_doubling ? cost::recursive_doubling_allreduce
                                                                      : cost::halving_doubling_allreduce;
      const double formula_s = formula(ranks, bytes_of(*schedule), eager_costs());
      const double event_s = simulated_s(*schedule, eager(), ModelUnderTest::event);
      const double simgrid_s = simulated_s(*schedule, eager(), ModelUnderTest::simgrid);
      // Early messages share the link of a receiver that still folds. One after the other, that gains or
      // costs no more than one message in all.
      const double message_s = eager_costs().start_up_s + bytes_of(*schedule) * eager_costs().s_per_byte;
      check_equal(event_s, formula_s, message_s / formula_s + promised_accuracy);
      // Sharing a link at the same time, each of two messages takes up to twice as long. Not all rounds meet
      // such a message; how many has no closed form. The bound is just above the ratios seen, up to 1.56.
      CHECK_LE(simgrid_s, 1.6 * formula_s);
      CHECK_GE(simgrid_s, formula_s - message_s);
    }
  }
}

TEST_CASE("a simulated barrier takes ⌈log₂P⌉ start-ups") {
  for (const ModelUnderTest model : models) {
    for (const int ranks : test_ranks) {
      CAPTURE(ranks);
      const double found_s = run_on_star(
                                 ranks, eager(), [](Worker& worker) { barrier(worker, 0); }, model)
                                 .makespan_s;
      check_equal(found_s, cost::dissemination_barrier(ranks, eager_costs()), promised_accuracy);
    }
  }
}

TEST_CASE("a double tree takes the time of its formula if rounds begin when both ends are ready") {
  for (const int ranks : test_ranks) {
    if (ranks == 1) continue;
    for (const int segments : {1, 2, 3, 12}) {
      CAPTURE(ranks);
      CAPTURE(segments);
      const DoubleTreeAllReduce schedule(ranks, even_count(ranks), segments);
      const double formula_s =
          cost::double_tree_allreduce(ranks, bytes_of(schedule), segments, eager_costs());
      check_equal(lockstep_s(schedule, Buffer::bytes_per_float, eager_costs()), formula_s, rounding);
    }
  }
}

TEST_CASE(
    "a simulated double tree takes at most the time of its formula where segments wait for their receiver") {
  for (const int ranks : {2, 3, 4, 8, 9, 17, 64}) {
    CAPTURE(ranks);
    const LinearCosts costs = rendezvous_costs();
    const auto schedule = make_allreduce(CollectiveKind::double_tree, ranks, 10'000'000, {.costs = costs});
    const int segments = dynamic_cast<const DoubleTreeAllReduce&>(*schedule).segments();
    const double formula_s = cost::double_tree_allreduce(ranks, bytes_of(*schedule), segments, costs);
    // A request that is there before its receiver is ready saves one crossing of three.
    LinearCosts early = costs;
    early.start_up_s -= Star::latency_s;
    const double least_s = cost::double_tree_allreduce(ranks, bytes_of(*schedule), segments, early);
    for (const ModelUnderTest model : models) {
      const double found_s = simulated_s(*schedule, rendezvous(), model);
      CHECK_LE(found_s, formula_s * (1 + promised_accuracy));
      CHECK_GE(found_s, least_s);
    }
  }
}

TEST_CASE("segments that leave before their receiver is ready slow a double tree") {
  for (const int ranks : {4, 8, 9, 17, 64}) {
    CAPTURE(ranks);
    const auto schedule =
        make_allreduce(CollectiveKind::double_tree, ranks, 10'000'000, {.costs = eager_costs()});
    const int segments = dynamic_cast<const DoubleTreeAllReduce&>(*schedule).segments();
    const double formula_s = cost::double_tree_allreduce(ranks, bytes_of(*schedule), segments, eager_costs());
    // They occupy the receiver's link while it waits for another segment: whole segments one after the other
    // on the event model, all at once on SimGrid's, where each of two takes up to twice as long. How often
    // they meet has no closed form: found are 0.91 to 1.14 and 1.03 to 1.54 of the formula.
    const double event_s = simulated_s(*schedule, eager(), ModelUnderTest::event);
    const double simgrid_s = simulated_s(*schedule, eager(), ModelUnderTest::simgrid);
    CHECK_LE(event_s, 1.25 * formula_s);
    CHECK_LE(simgrid_s, 1.9 * formula_s);
    CHECK_GE(std::min(event_s, simgrid_s), 0.85 * formula_s);
  }
}

TEST_CASE("a double tree of a long vector takes nearly 2⌈log₂P⌉ start-ups and the time of twice its bytes") {
  const double bytes = 1e10;
  for (const int ranks : {4, 9, 64, 1024}) {
    const LinearCosts costs{.start_up_s = 1e-5, .s_per_byte = 1e-10};
    const int segments =
        best_double_tree_segments(DoubleTree(ranks).depth(), bytes, costs.start_up_s, costs.s_per_byte, 0);
    const double table_s = 2 * std::bit_width(static_cast<unsigned>(ranks - 1)) * costs.start_up_s +
                           2 * bytes * costs.s_per_byte;
    // Beyond that the formula has 4nα + (D−2)·mβ/n for n segments and depth D. It is most for 1,024 ranks,
    // with D = 19 and n = 512, the greatest allowed: 0.054 s of 2 s, which is less than 3 %.
    CHECK_LE(cost::double_tree_allreduce(ranks, bytes, segments, costs), 1.03 * table_s);
    CHECK_GE(cost::double_tree_allreduce(ranks, bytes, segments, costs), table_s);
  }
}

TEST_CASE("a hierarchical all-reduce takes the time of its parts inside and between hosts") {
  constexpr int workers_per_host = 4;
  constexpr LinearCosts inside{.start_up_s = 1e-6, .s_per_byte = 1.0 / 5e10};
  // All workers of a host send to other hosts at once, so each has a share of the interface.
  constexpr LinearCosts between{.start_up_s = Star::latency_s,
                                .s_per_byte = workers_per_host / Star::bandwidth_Bps};
  for (const ModelUnderTest model : models) {
    for (const int hosts : {1, 2, 3, 4, 8}) {
      CAPTURE(hosts);
      const int ranks = hosts * workers_per_host;
      const Network network =
          build_network({.workers = ranks,
                         .workers_per_host = workers_per_host,
                         .network = {.kind = StarOptions{.link = {Star::bandwidth_Bps, Star::latency_s / 2}}},
                         .intra_host_link = LinkOptions{1 / inside.s_per_byte, inside.start_up_s}});
      const auto schedule = make_allreduce(CollectiveKind::hierarchical, ranks, 240'000,
                                           {.workers_per_host = workers_per_host});
      const std::unique_ptr<NetworkModel> network_model = make_model(model, network);
      SimulatedWorld world(network, *network_model);
      world.run(
          [&](Worker& worker) { run_schedule(worker, *schedule, Buffer::sized(schedule->count()), 1); });

      const double bytes = bytes_of(*schedule);
      const double between_s = cost::ring_allreduce(hosts, bytes / workers_per_host, between);
      const double formula_s = cost::hierarchical_allreduce(workers_per_host, bytes, inside, between_s);
      const double found_s = world.statistics().makespan_s;
      if (model == ModelUnderTest::simgrid || hosts == 1) {
        check_equal(found_s, formula_s, promised_accuracy);
      } else {
        // One worker's message after the other's: the interface is never idle, so start-ups overlap with
        // them.
        CHECK_LE(found_s, formula_s * (1 + rounding));
        CHECK_GE(found_s, formula_s - 2 * (hosts - 1) * between.start_up_s);
      }
    }
  }
}

TEST_CASE("simulated exchanges that begin inside hosts and then share interfaces take the predicted time") {
  const CollectiveOptions options{
      .workers_per_host = 4,
      .costs = {.start_up_s = Star::latency_s, .s_per_byte = 1 / Star::bandwidth_Bps},
      .intra_host_costs = LinearCosts{.start_up_s = 1e-6, .s_per_byte = 1.0 / 5e10}};
  const Network network =
      build_network({.workers = 32,
                     .workers_per_host = options.workers_per_host,
                     .network = {.kind = StarOptions{.link = {Star::bandwidth_Bps, Star::latency_s / 2}}},
                     .intra_host_link = LinkOptions{1 / options.intra_host_costs->s_per_byte,
                                                    options.intra_host_costs->start_up_s}});
  for (const CollectiveKind kind : {CollectiveKind::recursive_doubling, CollectiveKind::halving_doubling}) {
    const auto schedule = make_allreduce(kind, 32, 240'000, options);
    const std::unique_ptr<NetworkModel> model = make_model(ModelUnderTest::simgrid, network);
    SimulatedWorld world(network, *model);
    world.run([&](Worker& worker) { run_schedule(worker, *schedule, Buffer::sized(schedule->count()), 1); });
    check_equal(world.statistics().makespan_s, predicted_allreduce_s(kind, 32, 240'000, options),
                promised_accuracy);
  }
}

TEST_CASE("a single rank has nothing to do and takes no time") {
  for (const ScheduleCase& tested : all_schedules(1, 1000)) {
    CHECK_EQ(simulated_s(*tested.schedule, eager(), ModelUnderTest::event), 0);
  }
}

}  // namespace starling
