#include "algorithms/collectives/evaluation/ring_evaluator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/runner.hpp"
#include "base/errors.hpp"
#include "sim/messages/transport.hpp"
#include "sim/random.hpp"
#include "tests/algorithms/collectives/star_world.hpp"

namespace starling {
namespace {

using Times = std::vector<double>;

/// Both compute the same sums of products in different orders over up to thousands of rounds.
constexpr double rounding = 1e-9;

Times randomly(int ranks, double spread_s) {
  const CounterRandom random(3, Purpose::schedule);
  Times begin_s;
  for (Rank rank = 0; rank < ranks; ++rank) {
    begin_s.push_back(spread_s * random.uniform(static_cast<std::uint32_t>(rank), 0));
  }
  return begin_s;
}

/// When each rank of a ring ends if it comes at begin_s, message by message.
Times simulated_ends_s(const Routes& routes, const RingSchedule& ring, const Times& begin_s,
                       const MessageCosts& costs) {
  EventNetwork network(routes);
  SimulatedWorld world(routes, network, costs);
  Times end_s(begin_s.size());
  world.run([&](Worker& worker) {
    const auto rank = static_cast<std::size_t>(worker.rank());
    worker.compute(begin_s[rank]);
    run_schedule(worker, ring, Buffer::sized(ring.count()), 1);
    end_s[rank] = worker.now();
  });
  return end_s;
}

Evaluation evaluate(const Routes& routes, const RingSchedule& ring, const Times& begin_s,
                    const MessageCosts& costs) {
  return RingEvaluator::make(routes, costs)->evaluate(ring, begin_s, Buffer::bytes_per_float);
}

RingSchedule ring_allreduce(int ranks, std::int64_t count) {
  return {RingSchedule::Phase::allreduce, ranks, count};
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

constexpr MessageCosts free_ends;
constexpr MessageCosts costly_ends{.overhead_s = 7e-7, .reduction_s_per_byte = 5e-11};

TEST_CASE("an evaluated ring ends when a simulated one does, whenever its ranks come") {
  for (const int ranks : {2, 3, 4, 5, 8, 9, 17, 64}) {
    const Star star(ranks);
    // With chunks of one packet, and of one element more.
    const std::int64_t packets = ranks * 375;
    for (const std::int64_t count : {std::int64_t{64 * 9 * 17 * 5}, std::int64_t{100'001}, std::int64_t{64},
                                     std::int64_t{5'000'000}, packets, packets + ranks}) {
      for (const double spread_s : {0.0, 1e-6, 1e-4, 1e-2}) {
        for (const MessageCosts& costs : {free_ends, costly_ends}) {
          const RingSchedule ring = ring_allreduce(ranks, count);
          const Times begin_s = randomly(ranks, spread_s);
          const Evaluation evaluation = evaluate(star.network, ring, begin_s, costs);
          CAPTURE(ranks);
          CAPTURE(count);
          CAPTURE(spread_s);
          CAPTURE(costs.overhead_s);
          // A late rank finds its messages there: its rounds take 2o and the reduction. Unless a chunk takes
          // longer on the wire, the next rank receives at the same pace, and each message arrives just when
          // it is done with the last.
          const double bytes = static_cast<double>(count / ranks) * 4;
          const double late_round_s = 2 * costs.overhead_s + bytes * costs.reduction_s_per_byte;
          const bool must_be_exact = costs.overhead_s == 0 || bytes / Star::bandwidth_Bps > late_round_s;
          CHECK((evaluation.is_exact || !must_be_exact));
          if (!evaluation.is_exact) continue;
          CHECK_LE(difference(evaluation, simulated_ends_s(star.network, ring, begin_s, costs)), rounding);
        }
      }
    }
  }
}

TEST_CASE("the halves of a ring are evaluated, too") {
  const Star star(6);
  for (const auto phase : {RingSchedule::Phase::reduce_scatter, RingSchedule::Phase::allgather}) {
    const RingSchedule ring(phase, 6, 123'456);
    const Times begin_s = randomly(6, 1e-5);
    const Evaluation evaluation = evaluate(star.network, ring, begin_s, costly_ends);
    CHECK_EQ(evaluation.messages, 30);
    CHECK_LE(difference(evaluation, simulated_ends_s(star.network, ring, begin_s, costly_ends)), rounding);
  }
}

TEST_CASE("one late rank holds up a ring as in the simulation") {
  const Star star(8);
  const RingSchedule ring = ring_allreduce(8, 8000);
  Times begin_s(8, 0.0);
  begin_s[3] = 1e-3;
  const Evaluation evaluation = evaluate(star.network, ring, begin_s, costly_ends);
  CHECK_LE(difference(evaluation, simulated_ends_s(star.network, ring, begin_s, costly_ends)), rounding);
}

TEST_CASE("a ring over unequal links and through hosts is evaluated hop by hop") {
  const Network network =
      build_network({.workers = 6,
                     .workers_per_host = 2,
                     .network = {.kind = StarOptions{.host_links = {{1e9, 1e-6}, {2e9, 3e-6}, {5e8, 2e-6}}}},
                     .intra_host_link = LinkOptions{1e10, 5e-7}});
  const RingSchedule ring = ring_allreduce(6, 60'000);
  const Times begin_s = randomly(6, 1e-5);
  const Evaluation evaluation = evaluate(network, ring, begin_s, costly_ends);
  CHECK(evaluation.is_exact);
  CHECK_LE(difference(evaluation, simulated_ends_s(network, ring, begin_s, costly_ends)), rounding);
}

TEST_CASE("a ring whose messages have a protocol, another one inside hosts, is evaluated") {
  const Network network = build_network({.workers = 6,
                                         .workers_per_host = 2,
                                         .network = {.kind = StarOptions{.link = {1e9, 1e-6}}},
                                         .intra_host_link = LinkOptions{1e10, 5e-7}});
  for (const std::int64_t count : {std::int64_t{60}, std::int64_t{6'000}, std::int64_t{600'000}}) {
    const RingSchedule ring = ring_allreduce(6, count);
    for (MessageCosts costs : {free_ends, costly_ends}) {
      costs.protocols = transport("nccl_ib").costs.protocols;
      const Times begin_s = randomly(6, 1e-5);
      const Evaluation evaluation = evaluate(network, ring, begin_s, costs);
      CAPTURE(count);
      // With overheads, messages come just when a late rank is done with the last, as above.
      CHECK((evaluation.is_exact || costs.overhead_s > 0));
      if (!evaluation.is_exact) continue;
      CHECK_LE(difference(evaluation, simulated_ends_s(network, ring, begin_s, costs)), rounding);
    }
  }
}

TEST_CASE("a ring whose chunks have different protocols is not evaluated") {
  const std::vector<Protocol> protocols = {
      {.name = "quick", .efficiency = 0.5, .latency_s = 0},
      {.name = "lean", .efficiency = 1, .latency_s = 1e-6}};  // from 10,000 B at 10 GB/s
  const auto evaluator = RingEvaluator::make(Star(4).network, {.protocols = protocols});
  CHECK(evaluator->can_follow(ring_allreduce(4, 4 * 2499), 4));
  CHECK_FALSE(evaluator->can_follow(ring_allreduce(4, 4 * 2500 + 1), 4));
  CHECK(evaluator->can_follow(ring_allreduce(4, 4 * 2501), 4));
}

/// When the ranks of a star end rings that follow one another: evaluated and message by message. Null if not
/// exact.
struct Ends {
  std::optional<Times> evaluated_s;
  Times simulated_s;
};

Ends ends_of_rings(const Star& star, const std::vector<RingSchedule>& rings, const Times& begin_s,
                   const MessageCosts& costs) {
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
  SimulatedWorld world(star.network, network, costs);
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
  for (const MessageCosts& costs : {free_ends, costly_ends}) {
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

TEST_CASE("a ring whose messages partly wait and partly pass must go message by message") {
  const auto can_follow = [](std::int64_t count) {
    return RingEvaluator::make(Star(4).network, {})
        ->can_follow({RingSchedule::Phase::allreduce, 4, count}, 4);
  };
  CHECK_FALSE(can_follow(3));  // fewer than ranks
  CHECK(can_follow(4));
  CHECK(can_follow(4 * 375));
  CHECK_FALSE(can_follow(4 * 375 + 1));
  CHECK_FALSE(can_follow(4 * 376 - 1));
  CHECK(can_follow(4 * 376));
}

TEST_CASE("a message that arrives just when its receiver begins is not said to be exact") {
  const Star star(2);
  const RingSchedule ring(RingSchedule::Phase::allgather, 2, 2);
  const double arrival_s = costly_ends.overhead_s + 4 / Star::bandwidth_Bps + Star::latency_s;
  CHECK_FALSE(evaluate(star.network, ring, {0, arrival_s}, costly_ends).is_exact);
  CHECK(evaluate(star.network, ring, {0, 1.001 * arrival_s}, costly_ends).is_exact);
}

TEST_CASE("an evaluation needs a beginning for every rank") {
  const Star star(3);
  CHECK_THROWS_AS(evaluate(star.network, ring_allreduce(3, 9), {0, 0}, free_ends), InvariantError);
}

TEST_CASE("routes that share a link are not evaluated") {
  const Star star(4);
  class Shared final : public Routes {
   public:
    explicit Shared(const Routes& routes) : routes_(routes) {}
    int workers() const override { return routes_.workers(); }
    int hosts() const override { return routes_.hosts(); }
    int host_of(Rank rank) const override { return routes_.host_of(rank); }
    std::span<const Link> links() const override { return routes_.links(); }
    std::span<const LinkIndex> route(Rank, Rank) const override { return routes_.route(0, 1); }

   private:
    const Routes& routes_;
  };
  CHECK(RingEvaluator::make(star.network, free_ends));
  CHECK_FALSE(RingEvaluator::make(Shared(star.network), free_ends));
  CHECK_FALSE(RingEvaluator::make(Star(1).network, free_ends));
}

}  // namespace
}  // namespace starling
