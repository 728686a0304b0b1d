#include "algorithms/collectives/evaluation/evaluator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "algorithms/collectives/evaluation/ring_evaluator.hpp"
#include "base/errors.hpp"
#include "sim/random.hpp"
#include "tests/algorithms/collectives/all_schedules.hpp"
#include "tests/algorithms/collectives/star_world.hpp"

namespace starling {
namespace {

using Times = std::vector<double>;

/// Both compute the same sums of products in different orders over up to thousands of rounds.
constexpr double rounding = 1e-9;

Times evenly(int ranks) { return Times(static_cast<std::size_t>(ranks), 0.0); }

Times randomly(int ranks, double spread_s) {
  const CounterRandom random(3, Purpose::schedule);
  Times begin_s;
  for (Rank rank = 0; rank < ranks; ++rank) {
    begin_s.push_back(spread_s * random.uniform(static_cast<std::uint32_t>(rank), 0));
  }
  return begin_s;
}

/// When each rank of a group ends if it comes at begin_s, message by message.
Times simulated_ends_s(const Routes& routes, const Schedule& schedule, const Times& begin_s,
                       const EndCosts& costs, const Group& group) {
  EventNetwork network(routes);
  SimulatedWorld world(routes, network,
                       {.overhead_s = costs.overhead_s, .reduction_s_per_byte = costs.reduction_s_per_byte});
  Times end_s(begin_s.size());
  world.run([&](Worker& worker) {
    if (!group.contains(worker.rank())) return;
    const std::size_t index = static_cast<std::size_t>(group.index_of(worker.rank()));
    worker.compute(begin_s[index]);
    run_schedule(worker, schedule, group, Buffer::sized(schedule.count()), 1);
    end_s[index] = worker.now();
  });
  return end_s;
}

Group everyone(int ranks) {
  std::vector<Rank> members(static_cast<std::size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  return Group(std::move(members));
}

/// The greatest relative difference between evaluated and simulated ends; evaluated must be exact.
double difference(const Evaluation& evaluation, const Times& simulated_s) {
  double greatest = 0;
  for (std::size_t rank = 0; rank < simulated_s.size(); ++rank) {
    const double scale_s = std::max(simulated_s[rank], 1e-12);
    greatest = std::max(greatest, std::abs(evaluation.end_s[rank] - simulated_s[rank]) / scale_s);
  }
  return greatest;
}

constexpr EndCosts free_ends;
constexpr EndCosts costly_ends{.overhead_s = 7e-7, .reduction_s_per_byte = 5e-11};

/// Hides what a schedule is, so that the evaluator takes the way for any schedule.
class Disguised final : public Schedule {
 public:
  explicit Disguised(std::unique_ptr<Schedule> schedule) : schedule_(std::move(schedule)) {}
  std::string name() const override { return schedule_->name(); }
  int ranks() const override { return schedule_->ranks(); }
  std::int64_t count() const override { return schedule_->count(); }
  int rounds(Rank rank) const override { return schedule_->rounds(rank); }
  Round round(Rank rank, int index) const override { return schedule_->round(rank, index); }

 private:
  std::unique_ptr<Schedule> schedule_;
};

}  // namespace

TEST_CASE("an evaluated ring ends when a simulated one does, whenever its ranks come") {
  for (const int ranks : {2, 3, 4, 5, 8, 9, 17, 64}) {
    const Star star(ranks);
    // With chunks of one packet, of one packet and some of one element more, of one element more.
    const std::int64_t packets = ranks * 375;
    for (const std::int64_t count : {std::int64_t{64 * 9 * 17 * 5}, std::int64_t{100'001}, std::int64_t{64},
                                     std::int64_t{5'000'000}, packets, packets + 1, packets + ranks}) {
      for (const double spread_s : {0.0, 1e-6, 1e-4, 1e-2}) {
        for (const EndCosts& costs : {free_ends, costly_ends}) {
          const auto schedule = make_allreduce(CollectiveKind::ring, ranks, count);
          const Times begin_s = randomly(ranks, spread_s);
          const Evaluation evaluation = Evaluator(star.network, costs).evaluate(*schedule, begin_s, 4);
          CAPTURE(ranks);
          CAPTURE(count);
          CAPTURE(spread_s);
          CAPTURE(costs.overhead_s);
          // A late rank finds its messages there: its rounds take 2o and the reduction. Unless a chunk takes
          // longer on the wire, the next rank receives at the same pace, and each message arrives just when
          // it is done with the last.
          const double bytes = static_cast<double>(count / ranks) * 4;
          const double late_round_s = 2 * costs.overhead_s + bytes * costs.reduction_s_per_byte;
          // Where some messages pass others that wait, heads come to the switch in another order.
          const bool pass_each_other = count == packets + 1;
          const bool must_be_exact =
              !pass_each_other && (costs.overhead_s == 0 || bytes / Star::bandwidth_Bps > late_round_s);
          CHECK((evaluation.is_exact || !must_be_exact));
          if (!evaluation.is_exact) continue;
          CHECK_LE(difference(evaluation,
                              simulated_ends_s(star.network, *schedule, begin_s, costs, everyone(ranks))),
                   rounding);
        }
      }
    }
  }
}

TEST_CASE("the halves of a ring are evaluated, too") {
  const Star star(6);
  for (const auto& schedule : {make_reduce_scatter(CollectiveKind::ring, 6, 123'456),
                               make_allgather(CollectiveKind::ring, 6, 123'456)}) {
    const Times begin_s = randomly(6, 1e-5);
    const Evaluation evaluation = Evaluator(star.network, costly_ends).evaluate(*schedule, begin_s, 4);
    CHECK_EQ(evaluation.messages, 30);
    CHECK_LE(
        difference(evaluation, simulated_ends_s(star.network, *schedule, begin_s, costly_ends, everyone(6))),
        rounding);
  }
}

TEST_CASE("one late rank holds up a ring as in the simulation") {
  const Star star(8);
  const auto schedule = make_allreduce(CollectiveKind::ring, 8, 8000);
  Times begin_s = evenly(8);
  begin_s[3] = 1e-3;
  const Evaluation evaluation = Evaluator(star.network, costly_ends).evaluate(*schedule, begin_s, 4);
  CHECK_LE(
      difference(evaluation, simulated_ends_s(star.network, *schedule, begin_s, costly_ends, everyone(8))),
      rounding);
}

TEST_CASE("exchanges at even distances are evaluated exactly") {
  for (const int ranks : {2, 4, 8, 64}) {
    const Star star(ranks);
    for (const CollectiveKind kind : {CollectiveKind::recursive_doubling, CollectiveKind::halving_doubling}) {
      for (const EndCosts& costs : {free_ends, costly_ends}) {
        const auto schedule = make_allreduce(kind, ranks, 10'000);
        const Evaluation evaluation = Evaluator(star.network, costs).evaluate(*schedule, evenly(ranks), 4);
        CHECK(evaluation.is_exact);
        CHECK_LE(difference(evaluation,
                            simulated_ends_s(star.network, *schedule, evenly(ranks), costs, everyone(ranks))),
                 rounding);
      }
    }
  }
}

TEST_CASE("whatever is said to be exact is") {
  int exact = 0;
  int evaluated = 0;
  for (const int ranks : test_ranks) {
    const Star star(ranks);
    for (const ScheduleCase& tested : all_schedules(ranks, 100'000)) {
      for (const double spread_s : {0.0, 1e-5, 1e-2}) {
        for (const EndCosts& costs : {free_ends, costly_ends}) {
          const Times begin_s = randomly(ranks, spread_s);
          const Evaluation evaluation = Evaluator(star.network, costs).evaluate(*tested.schedule, begin_s, 4);
          ++evaluated;
          if (!evaluation.is_exact) continue;
          ++exact;
          CAPTURE(ranks);
          CAPTURE(tested.schedule->name());
          CAPTURE(spread_s);
          CAPTURE(costs.overhead_s);
          const Times simulated_s =
              simulated_ends_s(star.network, *tested.schedule, begin_s, costs, everyone(ranks));
          CHECK_LE(difference(evaluation, simulated_s), rounding);
        }
      }
    }
  }
  // Trees with many segments and folds meet at links; everything else should be exact.
  CHECK_GE(exact, evaluated / 2);
}

TEST_CASE("both ways to evaluate a ring agree") {
  const Star star(9);
  for (const EndCosts& costs : {free_ends, costly_ends}) {
    const Times begin_s = randomly(9, 1e-5);
    const Evaluator evaluator(star.network, costs);
    const Evaluation fast = evaluator.evaluate(*make_allreduce(CollectiveKind::ring, 9, 123'456), begin_s, 4);
    const Evaluation general =
        evaluator.evaluate(Disguised(make_allreduce(CollectiveKind::ring, 9, 123'456)), begin_s, 4);
    CHECK(general.is_exact);
    CHECK_EQ(fast.messages, general.messages);
    CHECK_LE(difference(fast, general.end_s), rounding);
  }
}

TEST_CASE("a ring over unequal links and through hosts is evaluated hop by hop") {
  const Network network =
      build_network({.workers = 6,
                     .workers_per_host = 2,
                     .network = {.kind = StarOptions{.host_links = {{1e9, 1e-6}, {2e9, 3e-6}, {5e8, 2e-6}}}},
                     .intra_host_link = LinkOptions{1e10, 5e-7}});
  const auto schedule = make_allreduce(CollectiveKind::ring, 6, 60'000);
  const Times begin_s = randomly(6, 1e-5);
  const Evaluation evaluation = Evaluator(network, costly_ends).evaluate(*schedule, begin_s, 4);
  CHECK(evaluation.is_exact);
  CHECK_LE(difference(evaluation, simulated_ends_s(network, *schedule, begin_s, costly_ends, everyone(6))),
           rounding);
}

/// When the ranks of a star end rings that follow one another: evaluated and message by message. Null if not
/// exact.
struct Ends {
  std::optional<Times> evaluated_s;
  Times simulated_s;
};

Ends ends_of_rings(const Star& star, const std::vector<RingSchedule>& rings, const Times& begin_s,
                   const EndCosts& costs) {
  RingEvaluator evaluator = *RingEvaluator::make(star.network, costs);
  Ends ends{.evaluated_s = begin_s, .simulated_s = Times(begin_s.size())};
  bool is_exact = true;
  for (const RingSchedule& ring : rings) {
    const Evaluation evaluation = evaluator.evaluate(ring, *ends.evaluated_s, 4);
    is_exact = is_exact && evaluation.is_exact;
    ends.evaluated_s = evaluation.end_s;
  }
  if (!is_exact) ends.evaluated_s.reset();

  EventNetwork network(star.network);
  SimulatedWorld world(star.network, network,
                       {.overhead_s = costs.overhead_s, .reduction_s_per_byte = costs.reduction_s_per_byte});
  world.run([&](Worker& worker) {
    const auto rank = static_cast<std::size_t>(worker.rank());
    worker.compute(begin_s[rank]);
    for (const RingSchedule& ring : rings) run_schedule(worker, ring, Buffer::sized(ring.count()), 1);
    ends.simulated_s[rank] = worker.now();
  });
  return ends;
}

TEST_CASE("rings of long and of short messages that follow one another are evaluated as they are simulated") {
  const Star star(6);
  for (const EndCosts& costs : {free_ends, costly_ends}) {
    for (const double spread_s : {1e-6, 1e-4, 1e-2}) {
      std::vector<RingSchedule> rings;
      for (const std::int64_t count : {60'000, 600, 6, 30'000, 2250, 2256, 700})
        rings.emplace_back(RingSchedule::Phase::allreduce, 6, count);
      const Ends ends = ends_of_rings(star, rings, randomly(6, spread_s), costs);
      CAPTURE(costs.overhead_s);
      CAPTURE(spread_s);
      // Rounds of short messages that take less than o pass on at one pace, so that arrivals coincide with
      // rounds.
      CHECK((ends.evaluated_s || costs.overhead_s > 0));
      if (ends.evaluated_s) CHECK_LE(difference({.end_s = *ends.evaluated_s}, ends.simulated_s), rounding);
    }
  }
}

TEST_CASE("short messages that pass long ones of an earlier ring, still waiting, are not said to be exact") {
  const Star star(3);
  std::vector<RingSchedule> rings;
  rings.emplace_back(RingSchedule::Phase::reduce_scatter, 3, 60'000);
  rings.emplace_back(RingSchedule::Phase::reduce_scatter, 3, 30);
  // The last to come finds all messages there and sends both of its own at once, then those of the next ring.
  CHECK_FALSE(ends_of_rings(star, rings, {0, 0, 1e-2}, free_ends).evaluated_s);
  rings.pop_back();
  const Ends ends = ends_of_rings(star, rings, {0, 0, 1e-2}, free_ends);
  REQUIRE(ends.evaluated_s);
  CHECK_LE(difference({.end_s = *ends.evaluated_s}, ends.simulated_s), rounding);
}

TEST_CASE("a ring whose messages partly wait and partly pass is left to the evaluator of all schedules") {
  const auto can_follow = [](std::int64_t count) {
    return RingEvaluator::can_follow({RingSchedule::Phase::allreduce, 4, count}, 4);
  };
  CHECK_FALSE(can_follow(3));  // fewer than ranks
  CHECK(can_follow(4));
  CHECK(can_follow(4 * 375));
  CHECK_FALSE(can_follow(4 * 375 + 1));
  CHECK_FALSE(can_follow(4 * 376 - 1));
  CHECK(can_follow(4 * 376));
}

TEST_CASE("a group of ranks is evaluated over its own routes") {
  const Star star(8);
  const Group group({6, 1, 3});
  const auto schedule = make_allreduce(CollectiveKind::ring, 3, 1000);
  const Times begin_s{1e-5, 0, 2e-6};
  const Evaluation evaluation =
      Evaluator(star.network, costly_ends).evaluate(*schedule, begin_s, 4, group.members());
  CHECK_LE(difference(evaluation, simulated_ends_s(star.network, *schedule, begin_s, costly_ends, group)),
           rounding);
}

TEST_CASE("messages that meet at a link at the same moment are not said to be exact") {
  const Star star(3);
  const auto folded = make_allreduce(CollectiveKind::recursive_doubling, 3, 1000);
  CHECK_FALSE(Evaluator(star.network, free_ends).evaluate(*folded, evenly(3), 4).is_exact);
}

TEST_CASE("a message that arrives just when its receiver begins is not said to be exact") {
  const Star star(2);
  const auto schedule = make_allgather(CollectiveKind::ring, 2, 2);
  const double arrival_s = costly_ends.overhead_s + 4 / Star::bandwidth_Bps + Star::latency_s;
  const Evaluator evaluator(star.network, costly_ends);
  CHECK_FALSE(evaluator.evaluate(*schedule, Times{0, arrival_s}, 4).is_exact);
  CHECK(evaluator.evaluate(*schedule, Times{0, 1.001 * arrival_s}, 4).is_exact);
}

TEST_CASE("an evaluation needs a beginning for every rank") {
  const Star star(3);
  CHECK_THROWS_AS(
      Evaluator(star.network, {}).evaluate(*make_allreduce(CollectiveKind::ring, 3, 9), evenly(2), 4),
      InvariantError);
}

}  // namespace starling
