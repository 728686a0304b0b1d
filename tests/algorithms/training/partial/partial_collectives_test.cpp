#include "algorithms/training/partial/partial_collectives.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "partial_fixture.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/random.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"

namespace starling {
namespace {

using By = VersionStart::By;

constexpr Tag partial_tag = 1;
constexpr Tag barrier_tag = 100;

/// Operations of `counts` elements, summed over all ranks.
struct Sums {
  Sums(int ranks, std::vector<std::int64_t> elements, std::int64_t versions_of_run) {
    for (const std::int64_t count : elements) {
      schedules.push_back(make_allreduce(CollectiveKind::recursive_doubling, ranks, count));
    }
    plan.counts = std::move(elements);
    plan.versions = versions_of_run;
    plan.start = [](std::int64_t) { return VersionStart{.by = By::anyone}; };
    plan.schedule = [this](int operation, std::int64_t) -> const Schedule& {
      return *schedules[static_cast<std::size_t>(operation)];
    };
  }

  std::vector<std::unique_ptr<Schedule>> schedules;
  PartialCollectivePlan plan;
};

/// A buffer of one float.
struct One {
  explicit One(float value) : data{value} {}
  Buffer view() { return Buffer::real(data); }
  std::vector<float> data;
};

/// The mean time inside the call over ranks and versions, and the mean number of active workers, where rank i
/// calls i·δ after a barrier.
struct Microbenchmark {
  double latency_s = 0;
  double active = 0;
};

Microbenchmark skewed_arrivals(int workers, By by, std::int64_t versions, double step_s) {
  Sums sums(workers, {16}, versions);
  const CounterRandom random(1, Purpose::initiator);
  sums.plan.start = [&](std::int64_t version) {
    return VersionStart{.by = by,
                        .initiator = static_cast<Rank>(random.below(static_cast<std::uint64_t>(workers), 0,
                                                                    static_cast<std::uint64_t>(version)))};
  };
  ParticipationLog log(workers);
  double inside_s = 0;
  run_on(free_network(workers), [&](Worker& worker) {
    PartialCollectives collectives(worker, sums.plan, Buffer::sized(16), partial_tag, &log);
    for (std::int64_t version = 0; version < versions; ++version) {
      worker.compute(worker.rank() * step_s);
      const double arrival_s = worker.now();
      collectives.contribute(0);
      collectives.wait(0, Buffer::sized(16));
      inside_s += worker.now() - arrival_s;
      barrier(worker, barrier_tag);
    }
  });
  return {inside_s / (workers * static_cast<double>(versions)), log.mean_active_workers()};
}

TEST_CASE(
    "with skewed arrivals a synchronous collective waits (P−1)δ/2 on average and a solo one not at all") {
  constexpr double step_s = 1e-3;
  for (const int workers : {2, 8, 32}) {
    CAPTURE(workers);
    const double p = workers;
    const Microbenchmark synchronous = skewed_arrivals(workers, By::everyone, 3, step_s);
    // More than messages take on the network without cost, in rounding of the clock.
    constexpr double message_s = 1e-12;
    CHECK(std::abs(synchronous.latency_s - (p - 1) * step_s / 2) < message_s);
    CHECK(synchronous.active == workers);

    const Microbenchmark solo = skewed_arrivals(workers, By::anyone, 3, step_s);
    CHECK(solo.latency_s < message_s);
    CHECK(solo.active == 1);
  }
}

TEST_CASE(
    "with skewed arrivals a majority collective waits (P²−1)δ/(6P), and (P+1)/2 workers are active on "
    "average") {
  constexpr double step_s = 1e-3;
  constexpr std::int64_t versions = 2000;
  for (const int workers : {2, 8, 32}) {
    CAPTURE(workers);
    const double p = workers;
    const Microbenchmark majority = skewed_arrivals(workers, By::initiator, versions, step_s);
    // 3.3 standard errors (99.9 %): active workers are uniform on 1 … P; the mean latency of a version with
    // initiator k is k(k+1)δ/(2P), whose second moment is taken from the sum.
    const double root = std::sqrt(static_cast<double>(versions));
    const double active_deviation = std::sqrt((p * p - 1) / 12);
    const double mean_s = (p * p - 1) * step_s / (6 * p);
    double square = 0;
    for (int k = 0; k < workers; ++k) square += std::pow(k * (k + 1) * step_s / (2 * p), 2) / p;
    CHECK(std::abs(majority.active - (p + 1) / 2) < 3.3 * active_deviation / root);
    CHECK(std::abs(majority.latency_s - mean_s) < 3.3 * std::sqrt(square - mean_s * mean_s) / root);
  }
}

TEST_CASE("an activation by one rank costs P−1 messages, and the result is there after 2·log₂P latencies") {
  constexpr double alpha_s = 1e-3;
  for (const int workers : {1, 2, 4, 16, 64}) {
    for (const Rank starter : {0, workers / 2, workers - 1}) {
      CAPTURE(workers);
      Sums sums(workers, {1}, 1);
      const RunStatistics statistics = run_on({workers, alpha_s, 1e18, 0}, [&](Worker& worker) {
        PartialCollectives collectives(worker, sums.plan, Buffer::sized(1), partial_tag, nullptr);
        if (worker.rank() != starter) worker.compute(1);
        CHECK(collectives.contribute(0) == (worker.rank() == starter));
        collectives.wait(0, Buffer::sized(1));
        const double expected_s = worker.rank() == starter ? 2 * std::log2(workers) * alpha_s : 1;
        CHECK(worker.now() == about(expected_s, 1e-9));  // rounding
      });
      const double data_messages = workers * std::log2(workers);
      CHECK(static_cast<double>(statistics.messages) == data_messages + workers - 1);
    }
  }
}

/// Counts the notifications of every worker.
class CountedNotifications final : public NetworkModel {
 public:
  explicit CountedNotifications(const Routes& routes)
      : network_(routes), sent_(static_cast<std::size_t>(routes.workers()), 0) {}

  void attach(Scheduler& scheduler) override { network_.attach(scheduler); }
  void start(Transfer& transfer) override {
    count(transfer);
    network_.start(transfer);
  }
  void start_unordered(Transfer& transfer) override {
    count(transfer);
    network_.start_unordered(transfer);
  }
  const std::vector<int>& sent() const { return sent_; }

 private:
  void count(const Transfer& transfer) {
    if (transfer.bytes == Notification::bytes) ++sent_[static_cast<std::size_t>(transfer.source)];
  }

  EventNetwork network_;
  std::vector<int> sent_;
};

/// How many activations each rank sends in `versions` versions of an operation of 4 kB, if rank i computes
/// for computing_s[i] seconds before each.
std::vector<int> activations_sent(const Routes& routes, const VersionStart& start, std::int64_t versions,
                                  const std::vector<double>& computing_s) {
  constexpr std::int64_t count = 1000;
  Sums sums(routes.workers(), {count}, versions);
  sums.plan.start = [&](std::int64_t) { return start; };
  CountedNotifications network(routes);
  SimulatedWorld world(routes, network);
  world.run([&](Worker& worker) {
    PartialCollectives collectives(worker, sums.plan, Buffer::sized(count), partial_tag, nullptr);
    for (std::int64_t version = 0; version < versions; ++version) {
      worker.compute(computing_s[static_cast<std::size_t>(worker.rank())]);
      collectives.contribute(0);
      collectives.wait(0, Buffer::sized(count));
    }
  });
  return network.sent();
}

TEST_CASE(
    "an initiator activates log₂P ranks, and a rank activated on dimension i those of i + 1 … log₂P − 1, "
    "once") {
  // An activation takes 1 ms, the data of a round 2 ms.
  const HandMadeRoutes star = HandMadeRoutes::star(8, 4e6, 0.5e-3);
  const VersionStart solo{.by = By::anyone};
  const VersionStart majority{.by = By::initiator, .initiator = 2};
  const auto late_but = [](const std::vector<std::size_t>& starters) {
    std::vector<double> computing_s(8, 1);
    for (const std::size_t rank : starters) computing_s[rank] = 0;
    return computing_s;
  };
  CHECK(activations_sent(star, solo, 1, late_but({5})) == std::vector{0, 0, 0, 0, 2, 3, 1, 1});
  CHECK(activations_sent(star, solo, 1, late_but({0, 7})) == std::vector{3, 2, 1, 0, 0, 1, 2, 3});
  CHECK(activations_sent(star, solo, 1, std::vector(8, 0.0)) == std::vector(8, 3));
  // The initiator is the first to call, the last, or one of all at once: the same ranks send activations.
  for (const std::vector<double>& computing_s :
       {late_but({2}), late_but({0, 1, 3, 4, 5, 6, 7}), std::vector(8, 0.0)})
    CHECK(activations_sent(star, majority, 1, computing_s) == std::vector{1, 1, 3, 2, 0, 0, 0, 0});
  // A rank that has been activated sends no activation when it calls later, here in the middle of the
  // version.
  CHECK(activations_sent(HandMadeRoutes::star(2, 4e6, 0.5e-3), solo, 1, {0, 1.5e-3}) == std::vector{1, 0});
}

TEST_CASE("a rank activated for the next version during one before passes that on once") {
  // Data from rank 1 take 4 s, activations a few milliseconds: rank 1 goes on to the next version long before
  // ranks 0 and 3, which it activates, have its data.
  HandMadeRoutes routes(4);
  for (int i = 0; i < 4; ++i) routes.add_link(i, 4, i == 1 ? 1e3 : 1e9, 0.5e-3);
  for (int i = 0; i < 4; ++i) routes.add_link(4, i, 1e9, 0.5e-3);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (i != j) routes.add_route(i, j, {i, 4 + j});
  const VersionStart majority{.by = By::initiator, .initiator = 1};
  CHECK(activations_sent(routes, majority, 3, {0, 0, 0, 0}) == std::vector{3 * 1, 3 * 2, 0, 0});
}

TEST_CASE("a late rank contributes what it has, and what it adds later goes with the next version") {
  Sums sums(2, {1}, 2);
  std::vector<float> results;
  run_on(free_network(2), [&](Worker& worker) {
    One sum(0);
    PartialCollectives collectives(worker, sums.plan, sum.view(), partial_tag, nullptr);
    const auto add = [&](float value) { collectives.send_buffer(0).data()[0] += value; };
    if (worker.rank() == 0) {
      add(1);
      CHECK(collectives.contribute(0));
      collectives.wait(0, sum.view());
      CHECK(sum.data[0] == 1);  // the other had nothing yet
      worker.compute(2);        // until the other has called
      add(10);
      CHECK(collectives.contribute(0));
      collectives.wait(0, sum.view());
      CHECK(sum.data[0] == 110);  // with what came late
      return;
    }
    worker.compute(1);
    CHECK(collectives.is_late(0));
    add(100);
    CHECK_FALSE(collectives.contribute(0));
    collectives.wait(0, sum.view());
    CHECK(sum.data[0] == 1);  // without its own
    worker.compute(2);
    add(1000);
    CHECK_FALSE(collectives.contribute(0));
    collectives.wait(0, sum.view());
    CHECK(sum.data[0] == 110);
    CHECK(collectives.send_buffer(0).data()[0] == 1000);
  });
}

TEST_CASE("a rank that comes while its part of a version is under way is late for it") {
  constexpr std::int64_t count = 1000;
  constexpr double message_s = 1e-3;
  Sums sums(2, {count}, 1);
  // The activation is there after a latency, the data after as long a transmission.
  run_on({2, message_s, count * Buffer::bytes_per_float / message_s, 0}, [&](Worker& worker) {
    std::vector<float> sum(count);
    PartialCollectives collectives(worker, sums.plan, Buffer::real(sum), partial_tag, nullptr);
    const bool is_first = worker.rank() == 0;
    if (!is_first) worker.compute(1.5 * message_s);
    CHECK(collectives.is_late(0) == !is_first);
    collectives.send_buffer(0).data()[0] += is_first ? 1 : 100;
    CHECK(collectives.contribute(0) == is_first);
    collectives.wait(0, Buffer::real(sum));
    CHECK(sum[0] == 1);
  });
}

TEST_CASE("the staleness of a contribution is the number of versions since its work was made") {
  Sums sums(2, {1}, 2);
  sums.plan.start = [](std::int64_t) { return VersionStart{.by = By::initiator, .initiator = 0}; };
  ParticipationLog log(2);
  run_on(free_network(2), [&](Worker& worker) {
    PartialCollectives collectives(worker, sums.plan, Buffer::sized(1), partial_tag, &log);
    for (int version = 0; version < 2; ++version) {
      worker.compute(worker.rank() == 0 ? 10 * version : 1);  // rank 1 calls at 1 and at 2 s
      collectives.contribute(0);
      collectives.wait(0, Buffer::sized(1));
    }
  });
  CHECK(log.fresh_contributions() == 3);
  CHECK(log.absent_contributions() == 1);  // of rank 1 to the first, which takes what it has made for it …
  CHECK(log.staleness_histogram() == std::vector<std::int64_t>{3, 1});  // … with the second
}

TEST_CASE("a rank that is several versions behind returns at once and reads the newest result") {
  Sums sums(2, {1}, 3);
  run_on(free_network(2), [&](Worker& worker) {
    One sum(0);
    PartialCollectives collectives(worker, sums.plan, sum.view(), partial_tag, nullptr);
    if (worker.rank() == 1) worker.compute(10);
    for (int version = 0; version < 3; ++version) {
      collectives.send_buffer(0).data()[0] += static_cast<float>(version + 1);
      const double called_s = worker.now();
      CHECK(collectives.contribute(0) == (worker.rank() == 0));
      collectives.wait(0, sum.view());
      CHECK(sum.data[0] == (worker.rank() == 0 ? static_cast<float>(version + 1) : 3.0F));
      CHECK(worker.now() - called_s < 1e-9);
      if (worker.rank() == 0) worker.compute(1);
    }
  });
}

/// The sums of what ranks contributed, of what rank 0 saw in the results of all versions, and of what was
/// left over at the end.
struct Account {
  double contributed = 0;
  double seen = 0;
  double left_over = 0;
};

/// Rank 0 is never late, so it sees the result of every version once; the others often are.
Account account(int workers, bool is_serialized, bool is_solo, std::uint64_t seed) {
  constexpr std::int64_t versions = 8;
  const CounterRandom random(seed, Purpose::imbalance);
  Sums sums(workers, {1, 3, 2}, versions);
  sums.plan.is_serialized = is_serialized;
  sums.plan.start = [&](std::int64_t) {
    return is_solo ? VersionStart{.by = By::anyone} : VersionStart{.by = By::initiator, .initiator = 0};
  };
  Account total;
  run_on({workers, 1e-5, 1e6, 0}, [&](Worker& worker) {
    const auto rank = static_cast<std::uint32_t>(worker.rank());
    std::vector<float> sum(3);
    PartialCollectives collectives(worker, sums.plan, Buffer::real(sum), partial_tag, nullptr);
    const auto result = [&](int operation) {
      return Buffer::real(sum).first(sums.plan.counts[static_cast<std::size_t>(operation)]);
    };
    for (std::int64_t version = 0; version < versions; ++version) {
      for (int operation = 0; operation < 3; ++operation) {
        const double late_s =
            random.uniform(rank, static_cast<std::uint64_t>(version), static_cast<std::uint32_t>(operation));
        worker.compute(rank == 0 ? 5e-3 : 5e-3 + 1e-2 * late_s);
        for (float& value : collectives.send_buffer(operation).data()) {
          value += 1;
          total.contributed += 1;
        }
        collectives.contribute(operation);
      }
      for (int operation = 0; operation < 3; ++operation) {
        collectives.wait(operation, result(operation));
        if (rank == 0)
          total.seen =
              std::accumulate(result(operation).data().begin(), result(operation).data().end(), total.seen);
      }
    }
    worker.compute(10);  // until everyone has called everything
    for (int operation = 0; operation < 3; ++operation) {
      for (const float value : collectives.send_buffer(operation).data()) total.left_over += value;
    }
  });
  return total;
}

TEST_CASE("all contributions to partial collectives are delivered once, or left over at the end") {
  for (const bool is_serialized : {true, false}) {
    for (const bool is_solo : {true, false}) {
      for (const int workers : {1, 2, 8}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
          CAPTURE(workers);
          const Account total = account(workers, is_serialized, is_solo, seed);
          CHECK(total.contributed == workers * 8 * 6);
          CHECK(total.seen + total.left_over == total.contributed);
          CHECK((total.left_over > 0) == (workers > 1));
        }
      }
    }
  }
}

TEST_CASE("partial collectives of other than a power of two of workers are refused") {
  Sums sums(3, {1}, 1);
  CHECK_THROWS_WITH_AS(run_on(free_network(3),
                              [&](Worker& worker) {
                                PartialCollectives collectives(worker, sums.plan, Buffer::sized(1),
                                                               partial_tag, nullptr);
                              }),
                       "partial collectives: workers is 3; it must be a power of two", std::invalid_argument);
}

}  // namespace
}  // namespace starling
