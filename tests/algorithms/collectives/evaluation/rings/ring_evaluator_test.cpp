#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "base/errors.hpp"
#include "sim/messages/transport.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/algorithms/collectives/evaluation/compared.hpp"
#include "tests/algorithms/collectives/star_world.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"

namespace starling {
namespace {

Times randomly(int ranks, double spread_s) { return random_beginnings(ranks, spread_s); }

Times simulated_ends_s(const Routes& routes, const RingSchedule& ring, const Times& begin_s,
                       const MessageCosts& costs, Model model = Model::event) {
  return starling::simulated_ends_s(routes, {&ring}, begin_s, costs, model);
}

Evaluation evaluate(const Routes& routes, const RingSchedule& ring, const Times& begin_s,
                    const MessageCosts& costs, Model model = Model::event) {
  FreeRoutes network(routes, costs, rules_of(model));
  return RingEvaluator::make(network)->evaluate(ring, begin_s, Buffer::bytes_per_float);
}

RingSchedule ring_allreduce(int ranks, std::int64_t count) {
  return {RingSchedule::Phase::allreduce, ranks, count};
}

constexpr std::uint64_t long_rings = has_address_sanitizer ? 12 : 40;
constexpr std::uint64_t long_rings_seed = 5;
constexpr int most_more_ranks = 200;
constexpr MessageCosts free_ends;
constexpr MessageCosts costly_ends{.overhead_s = 7e-7, .reduction_s_per_byte = 5e-11};

TEST_CASE("an evaluated ring ends when a simulated one does, whenever its ranks begin") {
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
          CHECK(evaluation.is_exact);
          CHECK_LE(difference(evaluation.end_s, simulated_ends_s(star.network, ring, begin_s, costs)),
                   difference_by_rounding);
        }
      }
    }
  }
}

/// A ring in which every rank has a link to the next rank and one of greater latency back.
HandMadeRoutes slow_back(int ranks) {
  HandMadeRoutes routes(ranks);
  for (int i = 0; i < ranks; ++i) {
    const int next = (i + 1) % ranks;
    routes.add_route(i, next, {routes.add_link(i, next, 1e9, 1e-6)});
    routes.add_route(next, i, {routes.add_link(next, i, 1e9, 4e-6)});
  }
  return routes;
}

/// A star whose links all have different latencies.
HandMadeRoutes uneven_latencies(int ranks) {
  HandMadeRoutes routes(ranks);
  for (int i = 0; i < ranks; ++i) routes.add_link(i, ranks, 1e9, 1e-6 * (1 + i));
  for (int i = 0; i < ranks; ++i) routes.add_link(ranks, i, 1e9, 1e-6 * (3 * ranks - 2 * i));
  for (int i = 0; i < ranks; ++i)
    for (int j = 0; j < ranks; ++j)
      if (i != j) routes.add_route(i, j, {i, ranks + j});
  return routes;
}

TEST_CASE("an evaluated ring whose answers take longer routes than its data ends when a simulated one does") {
  constexpr int ranks = 7;
  const RingSchedule ring = ring_allreduce(ranks, 100'000);
  const MessageCosts costs{.overhead_s = 7e-7, .eager_threshold_bytes = 0};
  for (const HandMadeRoutes& routes : {slow_back(ranks), uneven_latencies(ranks)}) {
    for (const Model model : {Model::event, Model::fair}) {
      for (const double spread_s : {0.0, 1e-4}) {
        CAPTURE(spread_s);
        const Times begin_s = randomly(ranks, spread_s);
        const Evaluation evaluation = evaluate(routes, ring, begin_s, costs, model);
        CHECK(evaluation.is_exact);
        CHECK_LE(difference(evaluation.end_s, simulated_ends_s(routes, ring, begin_s, costs, model)),
                 difference_by_rounding);
      }
    }
  }
}

TEST_CASE("requests of an evaluated ring wait behind data where a connection keeps all messages in order") {
  constexpr int ranks = 32;
  const Star star(ranks);
  const RingSchedule ring = ring_allreduce(ranks, ranks * 25'000);  // chunks of 100 kB
  const MessageCosts& costs = transport("mpi_tcp").costs;
  Times one_late(ranks, 0);
  one_late[3] = 1e-3;
  for (const Times& begin_s : {one_late, randomly(ranks, 1e-5), randomly(ranks, 3e-3)}) {
    const Evaluation evaluation = evaluate(star.network, ring, begin_s, costs, Model::fair_in_order);
    CHECK(evaluation.is_exact);
    CHECK_LE(difference(evaluation.end_s,
                        simulated_ends_s(star.network, ring, begin_s, costs, Model::fair_in_order)),
             difference_by_rounding);
  }
}

TEST_CASE("a ring reduce-scatter and a ring all-gather are evaluated, too") {
  const Star star(6);
  for (const auto phase : {RingSchedule::Phase::reduce_scatter, RingSchedule::Phase::allgather}) {
    const RingSchedule ring(phase, 6, 123'456);
    const Times begin_s = randomly(6, 1e-5);
    const Evaluation evaluation = evaluate(star.network, ring, begin_s, costly_ends);
    CHECK_EQ(evaluation.messages, 30);
    CHECK_LE(difference(evaluation.end_s, simulated_ends_s(star.network, ring, begin_s, costly_ends)),
             difference_by_rounding);
  }
}

TEST_CASE("one late rank holds up a ring as in the simulation") {
  const Star star(8);
  const RingSchedule ring = ring_allreduce(8, 8000);
  Times begin_s(8, 0.0);
  begin_s[3] = 1e-3;
  const Evaluation evaluation = evaluate(star.network, ring, begin_s, costly_ends);
  CHECK_LE(difference(evaluation.end_s, simulated_ends_s(star.network, ring, begin_s, costly_ends)),
           difference_by_rounding);
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
  CHECK_LE(difference(evaluation.end_s, simulated_ends_s(network, ring, begin_s, costly_ends)),
           difference_by_rounding);
}

TEST_CASE("a ring whose messages have one protocol between hosts and another inside is evaluated") {
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
      CHECK(evaluation.is_exact);
      CHECK_LE(difference(evaluation.end_s, simulated_ends_s(network, ring, begin_s, costs)),
               difference_by_rounding);
    }
  }
}

TEST_CASE("a ring pays the latency of protocols hop by hop like that of links") {
  const auto network = [](double latency_s) {
    return build_network({.workers = 32,
                          .workers_per_host = 4,
                          .network = {.kind = StarOptions{.link = {1e9, latency_s / 2}}},
                          .intra_host_link = LinkOptions{1e10, 0}});
  };
  const Network plain = network(0);
  const Network longer = network(4e-5);
  MessageCosts by_protocol = costly_ends;
  by_protocol.protocols = {{.name = "long", .latency_s = 4e-5}};
  const RingSchedule ring = ring_allreduce(32, 32'000);
  const Times begin_s = randomly(32, 1e-4);
  for (const Model model : {Model::event, Model::fair}) {
    const Times by_links_s = simulated_ends_s(longer, ring, begin_s, costly_ends, model);
    CHECK_LE(difference(simulated_ends_s(plain, ring, begin_s, by_protocol, model), by_links_s),
             difference_by_rounding);
    CHECK_LE(difference(evaluate(plain, ring, begin_s, by_protocol, model).end_s, by_links_s),
             difference_by_rounding);
  }
}

TEST_CASE("rings end when simulated ones do, over every transport and for every size of chunks") {
  const std::vector<MessageCosts> all_costs = costs_of_transports();
  const std::size_t every_nth = has_address_sanitizer ? 3 : 1;  // all of them take a minute with it
  for (const Model model : {Model::event, Model::fair, Model::fair_in_order}) {
    for (const int ranks : {3, 4, 7, 16, 33}) {
      const Star star(ranks);
      // Fewer elements than ranks; around a packet, the thresholds, and where protocols change.
      for (const std::int64_t count : {1, 5, 100, 375 * ranks + 1, 751 * ranks - 1, 2048 * ranks + 2,
                                       16'384 * ranks + 1, 100'000 * ranks + 3}) {
        for (std::size_t i = 0; i < all_costs.size(); i += every_nth) {
          const MessageCosts& costs = all_costs[i];
          if (model == Model::event && std::isfinite(costs.send_buffer_bytes)) continue;
          FreeRoutes network(star.network, costs, rules_of(model));
          const RingSchedule ring = ring_allreduce(ranks, count);
          RingEvaluator evaluator = *RingEvaluator::make(network);
          if (!evaluator.can_follow(ring, 4)) continue;
          for (const double spread_s : {0.0, 1e-5, 1e-3}) {
            const Times begin_s = randomly(ranks, spread_s);
            const Evaluation evaluation = evaluate(star.network, ring, begin_s, costs, model);
            CAPTURE(static_cast<int>(model));
            CAPTURE(ranks);
            CAPTURE(count);
            CAPTURE(i);
            CAPTURE(spread_s);
            CHECK((evaluation.is_exact || spread_s > 0));
            if (!evaluation.is_exact) continue;
            CHECK_LE(
                difference(evaluation.end_s, simulated_ends_s(star.network, ring, begin_s, costs, model)),
                difference_by_rounding);
          }
        }
      }
    }
  }
}

/// When ranks end successive rings, in seconds: evaluated, if that is exact, and simulated message by
/// message.
struct Ends {
  std::optional<Times> evaluated_s;
  Times simulated_s;
};

Ends ends_of_rings(const Routes& routes, const std::vector<RingSchedule>& rings, const Times& begin_s,
                   const MessageCosts& costs, Model model = Model::event) {
  FreeRoutes network(routes, costs, rules_of(model));
  RingEvaluator evaluator = *RingEvaluator::make(network);
  Ends ends{.evaluated_s = begin_s, .simulated_s = Times(begin_s.size())};
  bool is_exact = true;
  for (const RingSchedule& ring : rings) {
    const Evaluation evaluation = evaluator.evaluate(ring, *ends.evaluated_s, 4);
    is_exact = is_exact && evaluation.is_exact;
    ends.evaluated_s = evaluation.end_s;
  }
  if (!is_exact) ends.evaluated_s.reset();

  std::vector<const Schedule*> schedules;
  for (const RingSchedule& ring : rings) schedules.push_back(&ring);
  ends.simulated_s = starling::simulated_ends_s(routes, schedules, begin_s, costs, model);
  return ends;
}

TEST_CASE("successive rings of long and of short messages end when simulated ones do") {
  const Star star(6);
  for (const MessageCosts& costs : {free_ends, costly_ends}) {
    for (const double spread_s : {1e-6, 1e-4, 1e-2}) {
      std::vector<RingSchedule> rings;
      for (const std::int64_t count : {60'000, 600, 6, 30'000, 2250, 2256, 700})
        rings.emplace_back(RingSchedule::Phase::allreduce, 6, count);
      const Ends ends = ends_of_rings(star.network, rings, randomly(6, spread_s), costs);
      CAPTURE(costs.overhead_s);
      CAPTURE(spread_s);
      REQUIRE(ends.evaluated_s);
      CHECK_LE(difference(*ends.evaluated_s, ends.simulated_s), difference_by_rounding);
    }
  }
}

TEST_CASE("short messages that pass waiting long ones of an earlier ring are not called exact") {
  const Star star(3);
  std::vector<RingSchedule> rings;
  rings.emplace_back(RingSchedule::Phase::reduce_scatter, 3, 60'000);
  rings.emplace_back(RingSchedule::Phase::reduce_scatter, 3, 30);
  // The last to come finds all messages there and sends both of its own at once, then those of the next ring.
  CHECK_FALSE(ends_of_rings(star.network, rings, {0, 0, 1e-2}, free_ends).evaluated_s);
  rings.pop_back();
  const Ends ends = ends_of_rings(star.network, rings, {0, 0, 1e-2}, free_ends);
  REQUIRE(ends.evaluated_s);
  CHECK_LE(difference(*ends.evaluated_s, ends.simulated_s), difference_by_rounding);
}

TEST_CASE("short messages that wait behind long ones of an earlier ring delay those of a later one") {
  HandMadeRoutes routes(3);
  for (const int rank : {0, 1, 2}) {
    const int next = (rank + 1) % 3;
    routes.add_route(rank, next, {routes.add_link(rank, next, rank == 2 ? 1e8 : 1e9, 1e-6)});
    routes.add_route(next, rank, {routes.add_link(next, rank, 1e9, 1e-6)});
  }
  std::vector<RingSchedule> rings;
  for (const std::int64_t count : {60'000, 1000, 30})
    rings.emplace_back(RingSchedule::Phase::reduce_scatter, 3, count);
  // The last to come sends its first messages at once, over a slow link.
  const Ends ends = ends_of_rings(routes, rings, {0, 0, 1e-2}, free_ends, Model::fair_in_order);
  REQUIRE(ends.evaluated_s);
  CHECK_LE(difference(*ends.evaluated_s, ends.simulated_s), difference_by_rounding);
}

TEST_CASE("a ring of messages of which only some fit a packet is not evaluated under event") {
  const Star star(4);
  FreeRoutes event(star.network, {}, rules_of(Model::event));
  const auto can_follow = [&](std::int64_t count) {
    return RingEvaluator::make(event)->can_follow({RingSchedule::Phase::allreduce, 4, count}, 4);
  };
  CHECK(can_follow(3));  // fewer than ranks
  CHECK(can_follow(4 * 375));
  CHECK_FALSE(can_follow(4 * 375 + 1));
  CHECK_FALSE(can_follow(4 * 376 - 1));
  CHECK(can_follow(4 * 376));
  FreeRoutes fair(star.network, {}, rules_of(Model::fair));
  CHECK(RingEvaluator::make(fair)->can_follow({RingSchedule::Phase::allreduce, 4, 4 * 375 + 1}, 4));
}

TEST_CASE("a ring of two ranks that wait for each other's answers is not evaluated") {
  const Star star(2);
  FreeRoutes network(star.network, {.eager_threshold_bytes = 100}, rules_of(Model::fair));
  CHECK(RingEvaluator::make(network)->can_follow(ring_allreduce(2, 50), 4));
  CHECK_FALSE(RingEvaluator::make(network)->can_follow(ring_allreduce(2, 52), 4));
}

TEST_CASE(
    "a message that arrives just when its receiver begins is received as one that comes earlier or later") {
  const Star star(2);
  const RingSchedule ring(RingSchedule::Phase::allgather, 2, 2);
  const double arrival_s = costly_ends.overhead_s + 4 / Star::bandwidth_Bps + Star::latency_s;
  for (const double late : {0.999, 1 - 1e-14, 1.0, 1 + 1e-14, 1.001}) {
    const Times begin_s = {0, late * arrival_s};
    const Times end_s = simulated_ends_s(star.network, ring, begin_s, costly_ends);
    CHECK_LE(difference(evaluate(star.network, ring, begin_s, costly_ends).end_s, end_s),
             difference_by_rounding);
    // The receiver sends first, and then its message processor takes the message that is there: two
    // overheads. The start is varied by a thousandth of a message's 3.7 µs, which is the tolerance.
    CHECK(end_s[1] == about(begin_s[1] + 2 * costly_ends.overhead_s, 1e-3));
  }
}

/// Compares random sequences of rings of many ranks, whose steps repeat evenly for long, with simulations.
/// Returns how many of `long_rings` could be evaluated exactly.
int check_long_rings(std::uint64_t seed, const auto& network_of) {
  const std::vector<MessageCosts> all_costs = costs_of_transports();
  const CounterRandom random(seed, Purpose::schedule);
  int exact = 0;
  for (std::uint64_t run = 0; run < long_rings; ++run) {
    std::uint64_t drawn = 0;
    const auto below = [&](int end) {
      return static_cast<std::size_t>(end * random.uniform(static_cast<std::uint32_t>(run), drawn++));
    };
    const Network routes = network_of(below);
    const int ranks = routes.workers();
    const Model model = std::array{Model::event, Model::fair, Model::fair_in_order}[below(3)];
    const MessageCosts& costs = all_costs[below(static_cast<int>(all_costs.size()))];
    if (model == Model::event && std::isfinite(costs.send_buffer_bytes)) continue;
    std::vector<RingSchedule> rings;
    for (std::size_t i = 0; i <= below(3); ++i)
      rings.push_back(ring_allreduce(
          ranks, std::llround(ranks * std::pow(10.0, 0.1 * static_cast<double>(below(50))) / 20)));
    FreeRoutes network(routes, costs, rules_of(model));
    const RingEvaluator evaluator = *RingEvaluator::make(network);
    if (!std::ranges::all_of(rings, [&](const RingSchedule& ring) { return evaluator.can_follow(ring, 4); }))
      continue;
    const Times begin_s = random_beginnings(ranks, std::array{0.0, 1e-6, 1e-4, 1e-3, 1e-2}[below(5)], run);
    const Ends ends = ends_of_rings(routes, rings, begin_s, costs, model);
    if (!ends.evaluated_s) continue;
    ++exact;
    CAPTURE(run);
    CHECK_LE(difference(*ends.evaluated_s, ends.simulated_s), difference_by_rounding);
  }
  return exact;
}

TEST_CASE("repeating steps of a long ring end as if each were simulated") {
  CHECK(check_long_rings(long_rings_seed, [](const auto& below) {
          return Star(130 + static_cast<int>(below(most_more_ranks))).network;
        }) > static_cast<int>(long_rings) / 3);
}

TEST_CASE("a long ring through hosts of several workers ends as if each step were simulated") {
  CHECK(check_long_rings(long_rings_seed + 1, [](const auto& below) {
          const int workers_per_host = std::array{2, 3, 4, 8}[below(4)];
          const int hosts = 32 + static_cast<int>(below(300 / workers_per_host - 31));
          return build_network({.workers = hosts * workers_per_host,
                                .workers_per_host = workers_per_host,
                                .network = {.kind = StarOptions{.link = {1e9, 1e-6}}},
                                .intra_host_link = LinkOptions{std::array{5e8, 1e9, 1e10}[below(3)], 5e-7}});
        }) > static_cast<int>(long_rings) / 3);
}

/// A network with one host that is slower or faster than the others, or has fewer workers; so large that most
/// hops equal those before them.
Network with_unlike_hosts(const auto& below) {
  const int workers_per_host = 1 + static_cast<int>(below(2));
  const int hosts = 200 + static_cast<int>(below(20));
  const int left_out = workers_per_host == 1 ? 0 : static_cast<int>(below(2));
  ClusterOptions described{.workers = hosts * workers_per_host - left_out,
                           .workers_per_host = workers_per_host,
                           .network = {.kind = StarOptions{.link = {1e9, 1e-6}}}};
  if (workers_per_host > 1)
    described.intra_host_link = LinkOptions{std::array{5e8, 1e9, 1e10}[below(3)], 5e-7};
  if (left_out == 0) {
    LinkOverride& unlike = described.network.overrides.emplace_back();
    unlike.host = static_cast<int>(below(hosts));
    unlike.bandwidth_Bps = std::array{2e8, 9e8, 4e9}[below(3)];
    unlike.latency_s = std::array{1e-6, 5e-6}[below(2)];
  }
  return build_network(described);
}

TEST_CASE("a long ring through one host unlike the others ends as if each step were simulated") {
  CHECK(check_long_rings(long_rings_seed + 2, [](const auto& below) { return with_unlike_hosts(below); }) >
        static_cast<int>(long_rings) / 3);
}

TEST_CASE("the hops of a ring are found to repeat in blocks except for a few") {
  const auto hops_of = [](int ranks, const auto& slowness) {
    std::vector<Hop> hops;
    for (int rank = 0; rank < ranks; ++rank) hops.push_back({.s_per_byte = slowness(rank)});
    return RingHops(std::move(hops));
  };
  const auto of_hosts = [](int rank) { return rank % 4 == 3 ? 2.0 : 1.0; };
  CHECK(hops_of(1024, of_hosts).block() == 4);
  CHECK(hops_of(1024, of_hosts).changes().empty());
  const RingHops shorter_host = hops_of(1023, [&](int rank) { return rank == 1022 ? 2.0 : of_hosts(rank); });
  CHECK(shorter_host.period() == 1023);
  CHECK(shorter_host.block() == 4);
  CHECK(shorter_host.changes() == std::vector<std::size_t>{0, 1022});
  const RingHops slow_link = hops_of(1024, [](int rank) { return rank == 5 ? 3.0 : 1.0; });
  CHECK(slow_link.block() == 1);
  CHECK(slow_link.changes() == std::vector<std::size_t>{5, 6});
  CHECK(slow_link.has_many_blocks());
  CHECK_FALSE(hops_of(128, [](int rank) { return rank == 5 ? 3.0 : 1.0; }).has_many_blocks());
  CHECK_FALSE(hops_of(1024, [](int rank) { return 1.0 + rank; }).has_many_blocks());
}

TEST_CASE("an evaluation needs a start time for every rank") {
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
  FreeRoutes separate(star.network, free_ends, {});
  CHECK(RingEvaluator::make(separate));
  const Shared shared(star.network);
  FreeRoutes sharing(shared, free_ends, {});
  CHECK_FALSE(RingEvaluator::make(sharing));
  const Star alone(1);
  FreeRoutes single(alone.network, free_ends, {});
  CHECK_FALSE(RingEvaluator::make(single));
}

}  // namespace
}  // namespace starling
