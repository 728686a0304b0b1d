#include "workloads/imbalance/imbalance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "sample.hpp"
#include "workloads/imbalance/imbalance_causes.hpp"

namespace starling {
namespace {

constexpr std::uint64_t some_seed = 42;

using Loads = std::vector<Load>;

Loads loads_of(const std::vector<Imbalance>& causes, int workers, std::int64_t iterations,
               double compute_s = 1) {
  const ImbalanceModel model(causes, workers, some_seed, compute_s);
  Loads loads;
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    for (Rank rank = 0; rank < workers; ++rank) loads.push_back(model.load(rank, iteration));
  }
  return loads;
}

SampleMoments moments_over(const Loads& loads, const std::function<double(const Load&)>& value) {
  std::vector<double> values;
  for (const Load& load : loads) values.push_back(value(load));
  return moments_of(values);
}

bool is_equal(const Load& a, const Load& b) { return a.delay_s == b.delay_s && a.factor == b.factor; }

TEST_CASE("without causes of imbalance no worker is delayed or slowed") {
  for (const Load& load : loads_of({}, 3, 4)) CHECK(is_equal(load, Load{}));
}

TEST_CASE("delays of several causes add up and factors multiply") {
  const std::vector<Imbalance> causes = {SlowWorkers{{1}, 3}, LinearSkew{0.5}, SlowWorkers{{0, 1}, 2},
                                         IndependentDelay{1, 0.25}};
  const ImbalanceModel model(causes, 3, some_seed, 1);
  CHECK(is_equal(model.load(0, 7), {.delay_s = 0.25, .factor = 2}));
  CHECK(is_equal(model.load(1, 7), {.delay_s = 0.75, .factor = 6}));
  CHECK(is_equal(model.load(2, 7), {.delay_s = 1.25, .factor = 1}));
}

TEST_CASE("random factors have mean 1 and the given variance") {
  const std::vector<Imbalance> laws = {RandomFactor<Law::normal>{0.3}, RandomFactor<Law::lognormal>{0.3},
                                       RandomFactor<Law::gamma>{0.3}, RandomFactor<Law::weibull>{0.3}};
  for (const Imbalance& law : laws) {
    CAPTURE(law.index());
    const Loads loads = loads_of({law}, 64, 400);
    const SampleMoments factor = moments_over(loads, [](const Load& load) { return load.factor; });
    CHECK(std::abs(factor.mean - 1) < factor.mean_tolerance);
    CHECK(std::abs(factor.variance - 0.09) < factor.variance_tolerance);
    for (const Load& load : loads) REQUIRE(load.delay_s == 0);
  }
}

TEST_CASE("a drawn compute time replaces the workload's, whatever that was") {
  const Distribution distribution("wide", "s", Histogram{{{1, 2, 30}, {4, 6, 10}}, 1, 6});
  const Loads loads = loads_of({DrawnTime{distribution}}, 64, 400, 0.125);
  const SampleMoments compute_s = moments_over(loads, [](const Load& load) { return load.factor * 0.125; });
  CHECK(std::abs(compute_s.mean - distribution.mean()) < compute_s.mean_tolerance);
  CHECK(std::abs(compute_s.variance - std::pow(distribution.standard_deviation(), 2)) <
        compute_s.variance_tolerance);
}

TEST_CASE("a drawn delay comes on top of the workload's compute time, also of none") {
  const Distribution distribution("wide", "s", Histogram{{{1, 2, 30}, {4, 6, 10}}, 1, 6});
  for (const double compute_s : {0.0, 0.125}) {
    const Loads loads = loads_of({DrawnTime{.distribution = distribution, .meaning = DrawnMeaning::delay}},
                                 64, 400, compute_s);
    const SampleMoments delay_s = moments_over(loads, [](const Load& load) { return load.delay_s; });
    CHECK(std::abs(delay_s.mean - distribution.mean()) < delay_s.mean_tolerance);
    CHECK(std::abs(delay_s.variance - std::pow(distribution.standard_deviation(), 2)) <
          delay_s.variance_tolerance);
    for (const Load& load : loads) REQUIRE(load.factor == 1);
  }
}

TEST_CASE(
    "a clustered tail leaves the distribution alone and puts its slowest draws into the same iterations") {
  const Distribution distribution("tailed", "s", Histogram{{{1, 2, 90}, {8, 10, 10}}, 1, 10});
  constexpr int workers = 64;
  constexpr int iterations = 400;
  const Loads loads =
      loads_of({DrawnTime{distribution, {.probability = 0.1, .iterations = 0.25}, DrawnMeaning::delay}},
               workers, iterations);
  // The loads of an iteration depend on each other, so the share of slow iterations bounds the error: four
  // standard deviations of 400 draws of a quarter, times the 0.4 of the tail in them.
  const double share_tolerance = 4 * std::sqrt(0.25 * 0.75 / iterations) * 0.4;
  int slow_draws = 0;
  int slow_iterations = 0;
  const ImbalanceModel model(
      {DrawnTime{distribution, {.probability = 0.1, .iterations = 0.25}, DrawnMeaning::delay}}, workers,
      some_seed, 1);
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    int slow = 0;
    for (Rank rank = 0; rank < workers; ++rank) slow += model.load(rank, iteration).delay_s > 5;
    // A slow iteration shows no slow worker with probability 0.6^64, which is negligible in 400 iterations.
    slow_iterations += slow > 0;
    slow_draws += slow;
  }
  CHECK(std::abs(slow_draws / (1.0 * workers * iterations) - 0.1) < share_tolerance);
  CHECK(std::abs(slow_iterations / (1.0 * iterations) - 0.25) < 4 * std::sqrt(0.25 * 0.75 / iterations));
  double body_s = 0;
  int body = 0;
  for (const Load& load : loads) {
    if (load.delay_s > 5) continue;
    body_s += load.delay_s;
    ++body;
  }
  CHECK(std::abs(body_s / body - 1.5) < 4 / std::sqrt(12.0 * body));
}

TEST_CASE("a random delay hits exactly the given number of workers in every iteration") {
  for (const int workers : {1, 2, 5, 64}) {
    for (const int delayed : {0, 1, workers / 2, workers - 1, workers}) {
      CAPTURE(workers);
      CAPTURE(delayed);
      const ImbalanceModel model({RandomDelay{delayed, 0.5}}, workers, some_seed, 1);
      for (std::int64_t iteration = 0; iteration < 50; ++iteration) {
        double total_s = 0;
        for (Rank rank = 0; rank < workers; ++rank) total_s += model.load(rank, iteration).delay_s;
        REQUIRE(total_s == delayed * 0.5);
      }
    }
  }
}

TEST_CASE("a random delay makes all sets of workers equally likely") {
  const int iterations = 20'000;
  for (const int delayed : {2, 3}) {
    const ImbalanceModel model({RandomDelay{delayed, 1}}, 5, some_seed, 1);
    std::map<int, int> times_hit;
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      int set = 0;
      for (Rank rank = 0; rank < 5; ++rank) set |= (model.load(rank, iteration).delay_s > 0) << rank;
      ++times_hit[set];
    }
    CHECK(times_hit.size() == 10);
    for (const auto& [set, times] : times_hit) {
      CAPTURE(set);
      CHECK(std::abs(times / double(iterations) - 0.1) < share_tolerance(0.1, iterations));
    }
  }
}

TEST_CASE("a random delay draws the same workers whatever the version") {
  const ImbalanceModel few({RandomDelay{3, 1}}, 9, some_seed, 1);
  const ImbalanceModel most({RandomDelay{6, 1}}, 9, some_seed, 1);
  std::string delayed;
  for (const std::int64_t iteration : {0, 1, 2, 1000}) {
    for (Rank rank = 0; rank < 9; ++rank) {
      if (few.load(rank, iteration).delay_s > 0) delayed += std::to_string(rank);
      CHECK((few.load(rank, iteration).delay_s > 0) != (most.load(rank, iteration).delay_s > 0));
    }
    delayed += ' ';
  }
  CHECK(delayed == "078 258 125 158 ");
}

TEST_CASE("delaying half of a quarter of a million workers takes no time worth mentioning") {
  const int workers = 1 << 18;  // worker by worker it would take minutes
  const ImbalanceModel model({RandomDelay{workers / 2, 1}}, workers, some_seed, 1);
  int delayed = 0;
  for (Rank rank = 0; rank < workers; ++rank) delayed += model.load(rank, 7).delay_s > 0;
  CHECK(delayed == workers / 2);
}

TEST_CASE("independent delays may hit no worker in an iteration, k distinct ones always hit k") {
  // An injector that draws k ranks with replacement, each worker for itself.
  const int workers = 64;
  const int iterations = 10'000;
  const double probability = 1 - std::pow(1 - 1.0 / workers, 2);
  const ImbalanceModel independent({IndependentDelay{probability, 0.3}}, workers, some_seed, 1);
  const ImbalanceModel distinct({RandomDelay{2, 0.3}}, workers, some_seed, 1);
  int spared = 0;
  std::vector<double> hits;
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    int independent_hits = 0;
    int distinct_hits = 0;
    for (Rank rank = 0; rank < workers; ++rank) {
      independent_hits += independent.load(rank, iteration).delay_s == 0.3;
      distinct_hits += distinct.load(rank, iteration).delay_s == 0.3;
    }
    REQUIRE(distinct_hits == 2);
    spared += independent_hits == 0;
    hits.push_back(independent_hits);
  }
  const double expected_spared = std::pow(1 - 1.0 / workers, 2 * workers);  // 1 / 7.5
  CHECK(std::abs(spared / double(iterations) - expected_spared) <
        share_tolerance(expected_spared, iterations));
  const SampleMoments moments = moments_of(hits);
  CHECK(std::abs(moments.mean - workers * probability) < moments.mean_tolerance);
  CHECK(std::abs(moments.variance - workers * probability * (1 - probability)) < moments.variance_tolerance);
}

TEST_CASE("a linear skew delays rank i by i steps and moves on by one rank per iteration if it rotates") {
  const ImbalanceModel fixed({LinearSkew{0.25}}, 5, some_seed, 1);
  const ImbalanceModel rotating({LinearSkew{0.25, true}}, 5, some_seed, 1);
  for (std::int64_t iteration = 0; iteration < 12; ++iteration) {
    for (Rank rank = 0; rank < 5; ++rank) {
      CHECK(fixed.load(rank, iteration).delay_s == rank * 0.25);
      CHECK(rotating.load((rank + static_cast<Rank>(iteration)) % 5, iteration).delay_s == rank * 0.25);
    }
  }
}

struct SlowShare {
  double share = 0;
  double mean_sojourn = 0;
  double sojourns = 0;
  double first_share = 0;
};

/// Whole slow sojourns only: those that begin and end inside the run.
SlowShare slow_share_of(const MarkovStates& states, int workers, std::int64_t iterations) {
  const ImbalanceModel model({states}, workers, some_seed, 1);
  SlowShare result;
  double slow = 0;
  for (Rank rank = 0; rank < workers; ++rank) {
    std::int64_t began = -1;
    bool was_slow = model.load(rank, 0).factor > 1;
    result.first_share += double(was_slow) / workers;
    slow += was_slow;
    for (std::int64_t iteration = 1; iteration < iterations; ++iteration) {
      const bool is_slow = model.load(rank, iteration).factor > 1;
      slow += is_slow;
      if (is_slow && !was_slow) began = iteration;
      if (!is_slow && was_slow && began >= 0) {
        result.mean_sojourn += static_cast<double>(iteration - began);
        ++result.sojourns;
      }
      was_slow = is_slow;
    }
  }
  result.share = slow / (static_cast<double>(iterations) * workers);
  result.mean_sojourn /= result.sojourns;
  return result;
}

TEST_CASE("Markov workers have the stationary share of slow iterations and the given mean sojourn") {
  // The last one has states that tend to alternate.
  const std::vector<MarkovStates> cases = {{2, 5, 20}, {2, 10, 10}, {2, 1, 4}, {2, 1.25, 1.5}};
  for (const MarkovStates& states : cases) {
    CAPTURE(states.mean_slow_iterations);
    CAPTURE(states.mean_fast_iterations);
    const int workers = 200;
    const std::int64_t iterations = 1000;
    const SlowShare slow = slow_share_of(states, workers, iterations);
    const double expected =
        states.mean_slow_iterations / (states.mean_slow_iterations + states.mean_fast_iterations);
    const double memory = 1 - 1 / states.mean_slow_iterations - 1 / states.mean_fast_iterations;
    // Successive states are correlated by `memory`: that leaves so many independent ones.
    const double independent = workers * static_cast<double>(iterations) * (1 - memory) / (1 + memory);
    CHECK(std::abs(slow.share - expected) < share_tolerance(expected, independent));
    CHECK(std::abs(slow.first_share - expected) < share_tolerance(expected, workers));
    // A geometric sojourn of mean m has variance m(m−1). Sojourns cut off by the end of the run are long
    // ones: leaving them out shortens the mean by at most m · m / iterations.
    const double mean = states.mean_slow_iterations;
    CHECK(std::abs(slow.mean_sojourn - mean) <=
          5 * std::sqrt(mean * (mean - 1) / slow.sojourns) + mean * mean / static_cast<double>(iterations));
  }
}

TEST_CASE("a Markov worker's state does not depend on what was asked for before") {
  for (const MarkovStates& states : {MarkovStates{2, 5, 20}, MarkovStates{2, 1.25, 1.5}}) {
    const auto model = [&] { return ImbalanceModel({states}, 3, some_seed, 1); };
    const ImbalanceModel in_order = model();
    const ImbalanceModel in_strides = model();
    for (std::int64_t iteration = 0; iteration < 300; ++iteration) {
      const std::int64_t other = 7 * iteration % 300;
      const double factor = in_strides.load(1, other).factor;
      CHECK(factor == model().load(1, other).factor);
      CHECK(in_order.load(1, iteration).factor == model().load(1, iteration).factor);
    }
  }
}

TEST_CASE("a worker whose sojourns last one iteration alternates for ever") {
  const ImbalanceModel model({MarkovStates{3, 1, 1}}, 8, some_seed, 1);
  for (Rank rank = 0; rank < 8; ++rank) {
    for (std::int64_t iteration = 1; iteration < 20; ++iteration) {
      CHECK(model.load(rank, iteration).factor != model.load(rank, iteration - 1).factor);
    }
  }
}

TEST_CASE("a trace replaces the compute time, and repeats for each worker by itself") {
  const ComputeTrace trace = {{{1, 0, 8}, {0, 1, 2}, {0, 0, 4}, {0, 2, 0}, {5, 3, 99}}};
  const ImbalanceModel model({trace}, 2, some_seed, 4);
  const std::vector<double> expected = {1, 0.5, 0, 1, 0.5, 0, 1};
  for (std::int64_t iteration = 0; iteration < 7; ++iteration) {
    CHECK(model.load(0, iteration).factor == expected[static_cast<std::size_t>(iteration)]);
    CHECK(model.load(1, iteration).factor == 2);
  }
}

TEST_CASE("a pause delays one worker in one iteration") {
  const ImbalanceModel model({Pause{1, 3, 60}}, 2, some_seed, 1);
  CHECK(model.load(1, 3).delay_s == 60);
  CHECK(model.load(1, 2).delay_s == 0);
  CHECK(model.load(1, 4).delay_s == 0);
  CHECK(model.load(0, 3).delay_s == 0);
}

TEST_CASE("a periodic cause slows every worker in as many iterations of each period, and in the same ones") {
  for (const Phases phases : {Phases::random, Phases::spread, Phases::equal})
    for (const std::int64_t slow : {1, 3, 10}) {
      const ImbalanceModel model({PeriodicSlowness{10, slow, 2, 0.5, phases}}, 7, some_seed, 1);
      for (Rank rank = 0; rank < 7; ++rank) {
        std::vector<double> factors;
        for (std::int64_t iteration = 0; iteration < 30; ++iteration) {
          const Load load = model.load(rank, iteration);
          CHECK((load.factor == 2) == (load.delay_s == 0.5));
          factors.push_back(load.factor);
          if (iteration >= 10) CHECK(load.factor == factors[static_cast<std::size_t>(iteration - 10)]);
        }
        // Counted from where it becomes slow, a period has all its slow iterations first and then the fast
        // ones.
        CHECK(std::count(factors.begin(), factors.begin() + 10, 2.0) == slow);
        int changes = 0;
        for (std::size_t i = 10; i < 20; ++i) changes += factors[i] != factors[i - 1];
        CHECK(changes == (slow == 10 ? 0 : 2));
      }
    }
}

TEST_CASE("phases of a periodic cause are equal, spread over the period, or uniformly random") {
  const auto first_slow = [](Phases phases, int workers) {
    const ImbalanceModel model({PeriodicSlowness{.period_iterations = 8, .factor = 2, .phases = phases}},
                               workers, some_seed, 1);
    std::vector<double> first;
    for (Rank rank = 0; rank < workers; ++rank)
      for (int iteration = 0; iteration < 8; ++iteration)
        if (model.load(rank, iteration).factor == 2) first.push_back(iteration);
    return first;
  };
  CHECK(first_slow(Phases::equal, 4) == std::vector<double>{7, 7, 7, 7});
  CHECK(first_slow(Phases::spread, 4) == std::vector<double>{7, 5, 3, 1});
  const SampleMoments random = moments_of(first_slow(Phases::random, 20'000));
  CHECK(std::abs(random.mean - 3.5) < random.mean_tolerance);
  CHECK(std::abs(random.variance - 63.0 / 12) < random.variance_tolerance);
}

TEST_CASE("no two types of causes draw the same numbers, however many there are") {
  std::set<double> drawn;
  for (std::uint32_t type = 0; type < 64; ++type) drawn.insert(CauseDraws(some_seed, type, 0).uniform(1, 2));
  CHECK(drawn.size() == 64);
}

std::vector<Imbalance> every_random_kind() {
  return {RandomFactor<Law::gamma>{0.5}, RandomDelay{3, 1},
          IndependentDelay{0.5, 2},      MarkovStates{4, 5, 5},
          PeriodicSlowness{6, 2, 3},     DrawnTime{Distribution("d", "s", Samples{{1, 2, 3, 4, 5}})}};
}

TEST_CASE("draws do not depend on the order in which they are asked for") {
  const int workers = 9;
  const std::int64_t iterations = 30;
  const Loads forwards = loads_of(every_random_kind(), workers, iterations);
  const ImbalanceModel model(every_random_kind(), workers, some_seed, 1);
  for (std::int64_t iteration = iterations - 1; iteration >= 0; --iteration) {
    for (Rank rank = workers - 1; rank >= 0; --rank) {
      const Load& expected = forwards[static_cast<std::size_t>(iteration * workers + rank)];
      REQUIRE(is_equal(model.load(rank, iteration), expected));
    }
  }
}

TEST_CASE("draws of a cause do not depend on causes of other kinds") {
  for (const Imbalance& cause : every_random_kind()) {
    CAPTURE(cause.index());
    const Loads alone = loads_of({cause}, 9, 30);
    const Loads in_company = loads_of(
        {SlowWorkers{{0}, 1}, LinearSkew{0}, Pause{0, 1, 0}, cause, RandomFactor<Law::gamma>{0}}, 9, 30);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      if (!std::holds_alternative<RandomFactor<Law::gamma>>(cause))
        REQUIRE(is_equal(alone[i], in_company[i]));
    }
    const Loads before = loads_of({cause, IndependentDelay{0, 1}, RandomDelay{0, 1}}, 9, 30);
    for (std::size_t i = 0; i < alone.size(); ++i) REQUIRE(is_equal(alone[i], before[i]));
  }
}

TEST_CASE("draws of causes of one kind are independent") {
  const double log_variance = std::log1p(0.3 * 0.3);
  const Loads loads =
      loads_of({RandomFactor<Law::lognormal>{0.3}, RandomFactor<Law::lognormal>{0.3}}, 64, 400);
  const SampleMoments logarithm = moments_over(loads, [](const Load& load) { return std::log(load.factor); });
  // Twice the variance of one; equal draws would give four times.
  CHECK(std::abs(logarithm.variance - 2 * log_variance) < logarithm.variance_tolerance);
}

TEST_CASE("draws of causes of different kinds are independent") {
  const Loads loads = loads_of({RandomFactor<Law::lognormal>{0.3}, IndependentDelay{0.5, 1}}, 64, 400);
  const SampleMoments product =
      moments_over(loads, [](const Load& load) { return (load.factor - 1) * (load.delay_s - 0.5); });
  CHECK(std::abs(product.mean) < product.mean_tolerance);
}

TEST_CASE("another seed gives other draws") {
  const ImbalanceModel one({RandomFactor<Law::gamma>{0.5}}, 2, 1, 1);
  const ImbalanceModel other({RandomFactor<Law::gamma>{0.5}}, 2, 2, 1);
  CHECK(one.load(1, 1).factor != other.load(1, 1).factor);
}

TEST_CASE("a load is asked for workers and iterations that exist") {
  const ImbalanceModel model({}, 2, some_seed, 1);
  CHECK_THROWS_AS(model.load(2, 0), InvariantError);
  CHECK_THROWS_AS(model.load(-1, 0), InvariantError);
  CHECK_THROWS_AS(model.load(0, -1), InvariantError);
}

void check_rejected(const std::vector<Imbalance>& causes, const char* message, double compute_s = 1) {
  CHECK_THROWS_WITH_AS(ImbalanceModel(causes, 4, some_seed, compute_s), message, std::invalid_argument);
}

TEST_CASE("factors and delays out of range are rejected") {
  const double infinity = std::numeric_limits<double>::infinity();
  check_rejected({RandomFactor<Law::gamma>{-1}},
                 "imbalance: gamma: coefficient_of_variation is -1; it must be from 0 to 10");
  check_rejected({RandomFactor<Law::gamma>{1e-4}},
                 "gamma: the coefficient of variation is 0.0001; it must be 0 or at least 0.001");
  check_rejected({RandomDelay{5, 1}}, "imbalance: random_delay: workers is 5; it must be from 0 to 4");
  check_rejected({RandomDelay{-1, 1}}, "imbalance: random_delay: workers is -1; it must be from 0 to 4");
  check_rejected({RandomDelay{1, -1}},
                 "imbalance: random_delay: delay is -1; it must be from 0 to 1000000000");
  check_rejected({IndependentDelay{1.5, 1}},
                 "imbalance: independent_delay: probability is 1.5; it must be from 0 to 1");
  check_rejected({IndependentDelay{0.5, infinity}},
                 "imbalance: independent_delay: delay is inf; it must be from 0 to 1000000000");
  check_rejected({LinearSkew{-1}}, "imbalance: linear_skew: step is -1; it must be from 0 to 1000000000");
  check_rejected({SlowWorkers{{4}, 2}}, "imbalance: slow_workers: workers[0] is 4; it must be from 0 to 3");
  check_rejected({SlowWorkers{{1, 1}, 2}},
                 "imbalance: slow_workers: workers has rank 1 twice, expected each rank once");
  check_rejected({SlowWorkers{{1}, 0}},
                 "imbalance: slow_workers: factor is 0; it must be from 1e-06 to 1000000");
  check_rejected({MarkovStates{-1, 2, 2}},
                 "imbalance: markov: slow_factor is -1; it must be from 1e-06 to 1000000");
  check_rejected({MarkovStates{2, 0.5, 2}},
                 "imbalance: markov: mean_slow is 0.5; it must be from 1 to 1000000000");
  check_rejected({MarkovStates{2, 2, infinity}},
                 "imbalance: markov: mean_fast is inf; it must be from 1 to 1000000000");
}

TEST_CASE("periods that cannot be are rejected") {
  check_rejected({PeriodicSlowness{0}}, "imbalance: periodic: every is 0; it must be from 1 to 1000000000");
  check_rejected({PeriodicSlowness{5, 0}},
                 "imbalance: periodic: iterations is 0; it must be from 1 to 1000000000");
  check_rejected({PeriodicSlowness{5, 6}},
                 "imbalance: periodic: iterations: more than a period has, got 6, expected at most 5");
  check_rejected({PeriodicSlowness{5, 1, 0}},
                 "imbalance: periodic: factor is 0; it must be from 1e-06 to 1000000");
  check_rejected({PeriodicSlowness{5, 1, 1, -1}},
                 "imbalance: periodic: delay is -1; it must be from 0 to 1000000000");
}

TEST_CASE("compute times that cannot replace the workload's are rejected") {
  const DrawnTime drawn = {Distribution("d", "s", Samples{{1, 2}})};
  const ComputeTrace trace = {{{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}}};
  check_rejected({drawn, trace},
                 "imbalance: only one distribution or trace can replace the workload's compute time");
  check_rejected(
      {drawn},
      "distribution: cannot replace a compute time of 0 s, as nothing says how to split it over layers "
      "and passes",
      0);
  check_rejected(
      {trace},
      "trace: cannot replace a compute time of 0 s, as nothing says how to split it over layers and passes",
      0);
  check_rejected({DrawnTime{Distribution("lengths", "frames", Samples{{1, 2}})}},
                 "distribution: lengths has values in frames; compute times need seconds");
  check_rejected({DrawnTime{Distribution("d", "s", Samples{{1, 2}}),
                            {.probability = 0.5, .iterations = 0.4},
                            DrawnMeaning::delay}},
                 "imbalance: distribution: clustered_tail: probability is 0.5; it must be from 0 to 0.4");
  check_rejected({DrawnTime{.distribution = Distribution("lengths", "frames", Samples{{1, 2}}),
                            .meaning = DrawnMeaning::delay}},
                 "distribution: lengths has values in frames; compute times need seconds");
}

TEST_CASE("traces with holes are rejected") {
  check_rejected(
      {ComputeTrace{{{0, 0, 1}, {1, 0, 1}, {3, 0, 1}}}},
      "trace: worker 2 has no times; each of the 4 workers needs a time for every iteration from 0 to "
      "its last, after which they repeat");
  check_rejected(
      {ComputeTrace{{{0, 0, 1}, {0, 2, 1}}, "t.csv"}},
      "trace t.csv: worker 0 has no time for iteration 1, but one for iteration 2; it needs a time for "
      "every iteration from 0 to its last, after which they repeat");
  check_rejected({ComputeTrace{{{0, 0, 1}, {0, 0, 2}}}}, "trace: worker 0 has two times for iteration 0");
  check_rejected({ComputeTrace{{{-1, 0, 1}}}}, "trace: there is no worker -1; the first is 0");
  check_rejected({ComputeTrace{.points = {{-1, 0, 1}}, .file = "times.csv"}},
                 "trace times.csv: there is no worker -1; the first is 0");
  check_rejected({ComputeTrace{{{0, -1, 1}}}}, "trace: there is no iteration -1; the first is 0");
  check_rejected({ComputeTrace{{{0, 0, -1}}}},
                 "trace: the time of worker 0 in iteration 0 is -1 s; it must be finite and not negative");
}

TEST_CASE("causes delay workers, or slow what they compute, or both") {
  const std::vector<Imbalance> delays{RandomDelay{.workers = 1, .delay_s = 1},
                                      IndependentDelay{.probability = 0.5, .delay_s = 1},
                                      LinearSkew{1},
                                      Pause{0, 0, 1},
                                      DrawnTime{.meaning = DrawnMeaning::delay},
                                      PeriodicSlowness{.delay_s = 1}};
  for (const Imbalance& cause : delays) {
    CHECK(nature_of(cause).may_delay);
    CHECK_FALSE(nature_of(cause).may_slow);
  }
  const std::vector<Imbalance> factors{RandomFactor<Law::gamma>{.coefficient_of_variation = 0.1},
                                       SlowWorkers{},
                                       MarkovStates{},
                                       ComputeTrace{},
                                       DrawnTime{},
                                       PeriodicSlowness{.factor = 2}};
  for (const Imbalance& cause : factors) {
    CHECK_FALSE(nature_of(cause).may_delay);
    CHECK(nature_of(cause).may_slow);
  }
  const PeriodicSlowness both{.factor = 2, .delay_s = 1};
  CHECK(nature_of(both).may_delay);
  CHECK(nature_of(both).may_slow);
}

TEST_CASE("pauses of nobody are rejected") {
  check_rejected({Pause{4, 0, 1}}, "imbalance: pause: worker is 4; it must be from 0 to 3");
  check_rejected({Pause{0, -1, 1}}, "imbalance: pause: iteration is -1; it must be at least 0");
  check_rejected({Pause{0, 0, -1}}, "imbalance: pause: duration is -1; it must be from 0 to 1000000000");
}

TEST_CASE("a job without workers or with an endless compute time is rejected") {
  CHECK_THROWS_WITH_AS(ImbalanceModel({}, 0, some_seed, 1), "imbalance: 0 workers; it must be 1 to 1048576",
                       std::invalid_argument);
  check_rejected({}, "imbalance: the compute time is -1 s; it must be finite and not negative", -1);
  check_rejected(std::vector<Imbalance>(257, LinearSkew{1}), "imbalance: more than 256 causes of one kind");
}

}  // namespace
}  // namespace starling
