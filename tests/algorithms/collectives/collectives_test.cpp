#include "algorithms/collectives/collectives.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "algorithms/collectives/schedules/double_tree.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// A network of 10 GB/s and 10 µs.
constexpr LinearCosts cluster{.start_up_s = 1e-5, .s_per_byte = 1e-10};

/// The name of the schedule that `auto` chooses.
std::string cheapest(int ranks, std::int64_t count, const CollectiveOptions& options) {
  return make_allreduce(CollectiveKind::automatic, ranks, count, options)->name();
}

std::string cheapest(int ranks, std::int64_t count, int workers_per_host = 1) {
  return cheapest(ranks, count,
                  {.workers_per_host = workers_per_host,
                   .costs = cluster,
                   .intra_host_costs = LinearCosts{.start_up_s = 1e-6, .s_per_byte = 1e-11}});
}

}  // namespace

TEST_CASE("every kind of collective has its name") {
  for (const CollectiveKind kind : collective_kinds()) CHECK(collective_kind(name_of(kind)) == kind);
  CHECK(collective_kind("auto") == CollectiveKind::automatic);
  CHECK_FALSE(collective_kind("magic").has_value());
}

TEST_CASE("auto chooses few messages for short vectors and few bytes for long ones") {
  CHECK(cheapest(64, 10) == "recursive doubling all-reduce");
  CHECK(cheapest(64, 100'000) == "halving-doubling all-reduce");
  // A ring sends as many bytes as halving-doubling, without the two extra messages of the whole vector that
  // folding six ranks into four costs.
  CHECK(cheapest(6, 100'000'000) == "ring all-reduce");
  // Two ranks exchange everything at once, where γ = 0.
  CHECK(cheapest(2, 100'000'000) == "recursive doubling all-reduce");
}

TEST_CASE("auto chooses by the layout of hosts where several workers share one") {
  CHECK(cheapest(24, 1'000'000, 8) == "hierarchical all-reduce");
  // Halving-doubling sends as much between hosts and begins inside hosts, too, in fewer messages.
  CHECK(cheapest(64, 100'000, 4) == "halving-doubling all-reduce");
  // With long vectors the time of a ring is that of its messages between hosts.
  CHECK(cheapest(60, 1'000'000, 4) == "ring all-reduce");
  // A ring crosses each interface once as well, so inside one host there is no hierarchy to use.
  CHECK(cheapest(4, 100'000'000, 4) != "hierarchical all-reduce");
  CHECK(cheapest(66, 100'000, 4) != "hierarchical all-reduce");
}

TEST_CASE("recursive doubling and halving-doubling exchange inside hosts first") {
  const CollectiveOptions options{.workers_per_host = 4,
                                  .interfaces_per_host = 2,
                                  .costs = cluster,
                                  .intra_host_costs = LinearCosts{.start_up_s = 1e-6, .s_per_byte = 1e-11}};
  // 16 ranks, 4 MB: two messages of 4 MB inside hosts, and two between hosts, where two workers share a card.
  CHECK(predicted_allreduce_s(CollectiveKind::recursive_doubling, 16, 1'000'000, options) ==
        about(2 * (1e-6 + 4e6 * 1e-11) + 2 * (1e-5 + 4e6 * 2e-10)));
  // Each way three quarters of the 4 MB pass inside hosts, and three quarters of the last 1 MB between hosts.
  CHECK(predicted_allreduce_s(CollectiveKind::halving_doubling, 16, 1'000'000, options) ==
        about(4 * 1e-6 + 1.5 * 4e6 * 1e-11 + 4 * 1e-5 + 1.5 * 1e6 * 2e-10));
}

TEST_CASE("a prediction takes the costs between hosts for messages that go between hosts") {
  const CollectiveOptions options{.workers_per_host = 4,
                                  .costs = cluster,
                                  .intra_host_costs = LinearCosts{.start_up_s = 1e-3, .s_per_byte = 1e-8}};
  // 12 ranks, 4 MB: a ring of four ranks inside each host takes six steps of 1 MB; a ring over three hosts
  // takes four steps of a third of 1 MB, where four workers share a card.
  CHECK(predicted_allreduce_s(CollectiveKind::hierarchical, 12, 1'000'000, options) ==
        about(6 * (1e-3 + 1e6 * 1e-8) + 4 * (1e-5 + 1e6 / 3 * 4e-10)));
}

TEST_CASE("where some messages of a step go between hosts and some do not, the costlier ones decide") {
  const auto predicted_s = [](CollectiveKind kind, const LinearCosts& inside) {
    return predicted_allreduce_s(kind, 6, 1'000'000,
                                 {.workers_per_host = 3, .costs = cluster, .intra_host_costs = inside});
  };
  // 4 MB. In each step of a ring one worker of a host sends to another host. Its steps wait only for the
  // bandwidth of the slowest link, as start-ups overlap.
  CHECK(predicted_s(CollectiveKind::ring, {.start_up_s = 1e-3, .s_per_byte = 1e-8}) ==
        about(10 * 4e6 / 6 * 1e-8));
  CHECK(predicted_s(CollectiveKind::ring, {.start_up_s = 1e-6, .s_per_byte = 1e-11}) ==
        about(10 * 4e6 / 6 * 1e-10));
  // With great latencies they wait for the sum of the hops around the ring: two between and four inside
  // hosts.
  CHECK(predicted_s(CollectiveKind::ring, {.start_up_s = 1e-2, .s_per_byte = 1e-11}) ==
        about(10.0 / 6 * (2 * (1e-5 + 4e6 / 6 * 1e-10) + 4 * (1e-2 + 4e6 / 6 * 1e-11))));
  // Workers 0 and 2 fold into 1 and 3. These exchange across hosts while 4 and 5 do so inside, then 1 with 4
  // across and 3 with 5 inside: one worker of a host sends to another host in each of four steps.
  CHECK(predicted_s(CollectiveKind::recursive_doubling, {.start_up_s = 1e-6, .s_per_byte = 1e-8}) ==
        about(4 * (1e-5 + 4e6 * 1e-8)));
  CHECK(predicted_s(CollectiveKind::recursive_doubling, {.start_up_s = 1e-3, .s_per_byte = 1e-11}) ==
        about(4 * (1e-3 + 4e6 * 1e-10)));
}

TEST_CASE("extra ranks fold into neighbors of their own host") {
  const LinearCosts inside{.start_up_s = 1e-6, .s_per_byte = 1e-11};
  const CollectiveOptions options{.workers_per_host = 4, .costs = cluster, .intra_host_costs = inside};
  // 12 ranks, 4 MB. Of hosts 0 and 1 every second worker is left to exchange: inside the host, with the other
  // of them, where two share a card; and with the last host, whose card all of its four share.
  const auto across = [](int sharing) { return 1e-5 + 4e6 * sharing * 1e-10; };
  CHECK(predicted_allreduce_s(CollectiveKind::recursive_doubling, 12, 1'000'000, options) ==
        about(3 * (1e-6 + 4e6 * 1e-11) + across(2) + across(4)));
  CHECK(predicted_allreduce_s(CollectiveKind::halving_doubling, 12, 1'000'000, options) ==
        about(2 * (1e-6 + 4e6 * 1e-11) + 2 * (1e-6 + 2e6 * 1e-11) + 2 * (1e-5 + 1e6 * 2e-10) +
              2 * (1e-5 + 5e5 * 4e-10)));
}

/// Steps that cost `near`, except those in which rank 0 sends to another rank than its neighbor, which cost
/// `far`.
std::shared_ptr<const CollectiveSteps> steps_near_and_far(int ranks, int workers_per_host,
                                                          const LinearCosts& near, const LinearCosts& far) {
  const auto find = [=](std::span<const Rank> receivers, MessageKind) -> StepCostsBySize {
    const LinearCosts costs = receivers[0] > 1 ? far : near;
    return [costs](double) { return StepCosts{.mean = costs, .slowest = costs}; };
  };
  return std::make_shared<CollectiveSteps>(
      collective_steps(CollectiveKind::automatic, ranks, workers_per_host, find));
}

TEST_CASE("every kind of collective finds the steps of a prediction once") {
  for (const CollectiveKind kind : collective_kinds()) {
    CAPTURE(name_of(kind));
    int found = 0;
    const StepCostsFinder counting = [&found](std::span<const Rank>, MessageKind) -> StepCostsBySize {
      ++found;
      return {};
    };
    collective_steps(kind, 12, 4, counting);
    REQUIRE(found > 0);
    const int once = std::exchange(found, 0);
    predicted_allreduce_s(kind, 12, 1000, {.workers_per_host = 4, .step_costs = counting});
    CHECK(found == once);
  }
}

TEST_CASE("auto chooses by the costs of each step where these are known") {
  // Messages between distant ranks share a link, so that they are four times as slow; a ring sends to
  // neighbors only.
  CollectiveOptions options{.costs = cluster};
  CHECK(cheapest(16, 1'000'000, options) == "halving-doubling all-reduce");
  LinearCosts shared = cluster;
  shared.s_per_byte *= 4;
  options.steps = steps_near_and_far(16, 1, cluster, shared);
  CHECK(predicted_allreduce_s(CollectiveKind::halving_doubling, 16, 1'000'000, options) ==
        about(8 * cluster.start_up_s + (4e6 + 4 * (2e6 + 1e6 + 5e5)) * cluster.s_per_byte));
  CHECK(cheapest(16, 1'000'000, options) == "ring all-reduce");
}

TEST_CASE("auto counts all hops of a ring, those between distant hosts as well") {
  CollectiveOptions options{.costs = cluster};
  CHECK(cheapest(6, 1'000'000, options) == "ring all-reduce");
  LinearCosts far = cluster;
  far.start_up_s = 1e-3;
  options.steps = steps_near_and_far(6, 1, cluster, far);
  CHECK(cheapest(6, 1'000'000, options) == "ring all-reduce");
  options.steps = steps_near_and_far(6, 1, far, cluster);
  CHECK(cheapest(6, 1'000'000, options) != "ring all-reduce");
  options.workers_per_host = 3;
  options.steps = steps_near_and_far(6, 3, cluster, far);
  CHECK(predicted_allreduce_s(CollectiveKind::hierarchical, 6, 300'000, options) ==
        about(4 * (1e-5 + 4e5 * 1e-10) + 2 * (1e-3 + 2e5 * 1e-10)));
}

TEST_CASE("messages that wait for their receivers cost a handshake each") {
  const CollectiveOptions options{.costs = cluster, .eager_bytes = 4096, .handshake_s = 3e-5};
  CHECK(predicted_allreduce_s(CollectiveKind::recursive_doubling, 8, 1024, options) ==
        about(3 * (1e-5 + 4096 * 1e-10)));
  CHECK(predicted_allreduce_s(CollectiveKind::recursive_doubling, 8, 1025, options) ==
        about(3 * (4e-5 + 4100 * 1e-10)));
  // Of messages of 8, 4 and 2 KiB, there and back, only the two of 8 KiB are above 4 KiB and wait.
  CHECK(predicted_allreduce_s(CollectiveKind::halving_doubling, 8, 4096, options) ==
        about(2 * (4e-5 + 8192 * 1e-10) + 4 * 1e-5 + 2 * (4096 + 2048) * 1e-10));
  CHECK(predicted_start_up_s(CollectiveKind::halving_doubling, 8, 4096, options) == about(2 * 4e-5 + 4e-5));
}

TEST_CASE("auto chooses a collective that uses all network cards of a host") {
  CollectiveOptions options{.workers_per_host = 8,
                            .costs = cluster,
                            .intra_host_costs = LinearCosts{.start_up_s = 1e-6, .s_per_byte = 1e-12}};
  const auto ring_share = [&] {
    return predicted_allreduce_s(CollectiveKind::automatic, 96, 100'000'000, options) /
           predicted_allreduce_s(CollectiveKind::ring, 96, 100'000'000, options);
  };
  CHECK(ring_share() > 0.9);
  options.interfaces_per_host = 8;
  CHECK(ring_share() < 0.2);
}

TEST_CASE("auto chooses a ring where no costs are given") {
  CHECK_EQ(make_allreduce(CollectiveKind::automatic, 16, 1000)->name(), "ring all-reduce");
}

TEST_CASE("auto builds the schedule of the collective that it chooses") {
  CHECK_EQ(make_allreduce(CollectiveKind::automatic, 64, 10, {.costs = cluster})->name(),
           "recursive doubling all-reduce");
  CHECK_EQ(make_reduce_scatter(CollectiveKind::automatic, 64, 10, {.costs = cluster})->name(),
           "recursive halving reduce-scatter");
  CHECK_EQ(make_allgather(CollectiveKind::automatic, 60, 10, {.costs = cluster})->name(), "ring all-gather");
}

TEST_CASE("the number of segments of a double tree follows from the costs, or segments are 256 KiB") {
  const auto segments = [](const CollectiveOptions& options) {
    const auto schedule = make_allreduce(CollectiveKind::double_tree, 16, 10 << 20, options);
    return dynamic_cast<const DoubleTreeAllReduce&>(*schedule).segments();
  };
  CHECK_EQ(segments({}), 80);  // of 20 MiB per tree
  CHECK_EQ(
      segments({.costs = cluster}),
      best_double_tree_segments(DoubleTree(16).depth(), 40 << 20, cluster.start_up_s, cluster.s_per_byte, 0));
}

TEST_CASE("segments of a double tree stay eager where a handshake would cost more than further segments") {
  // 16 ranks at 4 µs and 1.625 GB/s. `few` is the best number of segments for 20 kB, 10 kB per tree, if all
  // are eager.
  const LinearCosts costs{.start_up_s = 4e-6, .s_per_byte = 1 / 1.625e9};
  const auto segments = [&](std::int64_t bytes, double eager_bytes) {
    const CollectiveOptions options{.costs = costs, .eager_bytes = eager_bytes, .handshake_s = 8e-6};
    const auto schedule = make_allreduce(CollectiveKind::double_tree, 16, bytes / 4, options);
    return dynamic_cast<const DoubleTreeAllReduce&>(*schedule).segments();
  };
  const int depth = DoubleTree(16).depth();
  const auto best = [&](double bytes, double start_up_s) {
    return best_double_tree_segments(depth, bytes, start_up_s, costs.s_per_byte, 0);
  };
  const double unlimited = std::numeric_limits<double>::infinity();
  CHECK_EQ(segments(16'000, unlimited), best(16'000, 4e-6));
  CHECK_EQ(segments(16'000, 8'192), best(16'000, 4e-6));  // of 8,000 B
  const int few = best(20'000, 4e-6);
  CHECK_EQ(segments(20'000, 10'000.0 / few), few);  // just eager
  CHECK_EQ(segments(20'000, 10'000.0 / few - 4), few + 1);
  CHECK_EQ(segments(20'004, 10'000.0 / few), few + 1);  // one half has an element more
  // With large messages the handshakes cost little, and eager segments would be many.
  CHECK_EQ(segments(4'000'000, 8'192), best(4'000'000, 12e-6));
  CHECK_EQ(segments(4'000, 0), best(4'000, 12e-6));  // nothing is eager
}

TEST_CASE("collectives that cannot be built are refused with a reason") {
  CHECK_THROWS_WITH_AS(make_allreduce(CollectiveKind::ring, 0, 10),
                       "a collective needs at least 1 rank, got 0", std::invalid_argument);
  CHECK_THROWS_WITH_AS(make_allreduce(CollectiveKind::automatic, 4, 10, {.workers_per_host = 0}),
                       "a host needs at least 1 worker, got 0", std::invalid_argument);
  CHECK_THROWS_WITH_AS(predicted_allreduce_s(CollectiveKind::ring, 4, 10, {.workers_per_host = -1}),
                       "a host needs at least 1 worker, got -1", std::invalid_argument);
  CHECK_THROWS_WITH_AS(make_broadcast(3, -1), "a collective needs 0 or more elements, got -1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      make_allreduce(CollectiveKind::hierarchical, 6, 10, {.workers_per_host = 4}),
      "a hierarchical all-reduce needs equally many workers on every host, but 6 workers do not "
      "divide into hosts of 4",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      make_reduce_scatter(CollectiveKind::double_tree, 4, 10),
      "double_tree has no reduce-scatter and all-gather; it must be one of ring, halving_doubling, auto",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(make_allgather(CollectiveKind::halving_doubling, 6, 10),
                       "recursive doubling all-gather needs a power of two of ranks, got 6",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(make_broadcast(3, 1, 3), "the root must be a rank from 0 to 2, got 3",
                       std::invalid_argument);
}

}  // namespace starling
