#include "analysis/running/repetition.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "explanation_difference.hpp"
#include "log_difference.hpp"
#include "sim/messages/transport.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// Sixteen workers on four hosts, below two leaves with one uplink each, half of the bandwidth of their
/// hosts.
Scenario repeating_scenario(const std::string& transport_name) {
  Scenario scenario = small_scenario();
  scenario.engine = Engine::fair;
  scenario.iterations = 30;
  scenario.transport = transport_name;
  scenario.message_costs = transport(transport_name).costs;
  scenario.cluster.workers = 16;
  scenario.cluster.workers_per_host = 4;
  scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 1e10, .latency_s = 5e-7};
  scenario.cluster.network.kind =
      LeafSpineOptions{.hosts_per_leaf = 2, .spines = 1, .link = {.bandwidth_Bps = 1e9, .latency_s = 1e-6}};
  for (const char* collective :
       {"ring", "recursive_doubling", "halving_doubling", "double_tree", "hierarchical"}) {
    add_algorithm(scenario, AllreduceOptions{.collective = collective});
    add_algorithm(scenario, WfbpOptions{.collective = collective});
  }
  return scenario;
}

/// The same scenario with random delays of 0 s, so that all iterations are simulated.
Scenario with_draws(Scenario scenario) {
  scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0}};
  return scenario;
}

Outcome outcome_of(const Scenario& scenario, std::size_t index) {
  const ScenarioJob job(scenario);
  return SimulatedMachine(job.scenario(), job.routes(), nullptr).run_trial(job.run(index));
}

void check_same_participation(const ParticipationLog& few, const ParticipationLog& all) {
  CHECK(few.active_workers_histogram() == all.active_workers_histogram());
  CHECK(few.staleness_histogram() == all.staleness_histogram());
  CHECK(few.iterations() == all.iterations());
  CHECK(few.max_lead_iterations() == all.max_lead_iterations());
}

/// Checks that an outcome with repeated iterations equals that of simulating all of them.
void check_repeats(const Outcome& few, const Outcome& all) {
  check_same_participation(few.participation, all.participation);
  CHECK(difference(few.log, all.log) < rounding_of_sums);
  CHECK(few.statistics.messages == all.statistics.messages);
  CHECK(few.statistics.rendezvous_messages == all.statistics.rendezvous_messages);
  CHECK(few.statistics.bytes == all.statistics.bytes);
  CHECK(std::abs(few.statistics.makespan_s / all.statistics.makespan_s - 1) < rounding_of_sums);
}

TEST_CASE("a run with repeated iterations equals the simulation of all iterations") {
  int repeating = 0;
  int runs = 0;
  for (const char* transport_name : {"ideal", "nccl_ib", "mpi_ib"}) {
    const Scenario scenario = repeating_scenario(transport_name);
    for (std::size_t i = 0; i < scenario.algorithms.size(); ++i, ++runs) {
      CAPTURE(transport_name);
      CAPTURE(i);
      const Outcome few = outcome_of(scenario, i);
      const Outcome all = outcome_of(with_draws(scenario), i);
      CHECK_FALSE(all.repetition);
      if (!few.repetition) continue;
      ++repeating;
      check_repeats(few, all);
    }
  }
  CHECK(3 * repeating > 2 * runs);  // in other runs rounding decides which message waits
}

Measurement watched(const Scenario& scenario, std::size_t index) {
  const ScenarioJob job(scenario);
  return SimulatedMachine(job.scenario(), job.routes(), nullptr, {.links = true, .critical_path = true})
      .measure(job.run(index), nullptr, nullptr);
}

/// Checks that links are used alike, to rounding_of_sums, the precision of repeated times.
void check_same_links(const LinkUses& few, const LinkUses& all) {
  CHECK(*few.iterations == *all.iterations);
  CHECK(few.run_s == about(all.run_s, rounding_of_sums));
  CHECK(*few.period_s == *all.period_s);
  REQUIRE(few.used.size() == all.used.size());
  for (std::size_t i = 0; i < all.used.size(); ++i) {
    const LinkUse& one = few.used[i];
    const LinkUse& other = all.used[i];
    CAPTURE(other.name);
    CHECK(one.name == other.name);
    CHECK(one.bytes == about(other.bytes));
    CHECK(one.busy_fraction == about(other.busy_fraction, rounding_of_sums));
    CHECK(one.most_bytes_under_way == about(other.most_bytes_under_way));
    for (std::size_t at = 0; at < one.bytes_while.size(); ++at)
      CHECK(std::abs(one.bytes_while[at] - other.bytes_while[at]) <= rounding * other.bytes);
    REQUIRE(one.over_time.size() == other.over_time.size());
    for (std::size_t at = 0; at < one.over_time.size(); ++at)
      CHECK(std::abs(one.over_time[at] - other.over_time[at]) <= rounding_of_sums);
  }
}

TEST_CASE("links and critical paths of a run with repeated iterations equal those of all iterations") {
  int repeating = 0;
  int same_paths = 0;
  for (const char* transport_name : {"ideal", "nccl_ib", "mpi_ib"}) {
    Scenario scenario = repeating_scenario(transport_name);
    for (std::size_t i = 0; i < scenario.algorithms.size(); ++i) {
      CAPTURE(transport_name);
      CAPTURE(i);
      scenario.iterations = 20 + static_cast<std::int64_t>(7 * i);
      scenario.warmup_iterations = static_cast<std::int64_t>(2 * i);
      const Measurement few = watched(scenario, i);
      if (!few.outcome.repetition) continue;
      ++repeating;
      const Measurement all = watched(with_draws(scenario), i);
      check_repeats(few.outcome, all.outcome);
      check_same_links(*few.links, *all.links);
      const CriticalPath& path = *few.critical_path;
      CHECK(path.iteration_s == about(all.critical_path->iteration_s, rounding_of_sums));
      same_paths += difference(path, *all.critical_path) <= rounding_of_sums ? 1 : 0;
    }
  }
  CHECK(repeating >= 20);
  CHECK(2 * same_paths > repeating);  // in other runs rounding decides between two equally long paths
}

TEST_CASE("iterations repeat where communication slows computing down") {
  Scenario scenario = repeating_scenario("nccl_ib");
  scenario.workload.communication_slowdown = 0.3;
  constexpr std::size_t wfbp_by_recursive_doubling = 3;
  const Outcome few = outcome_of(scenario, wfbp_by_recursive_doubling);
  REQUIRE(few.repetition);
  check_repeats(few, outcome_of(with_draws(scenario), wfbp_by_recursive_doubling));
}

TEST_CASE("runs with random draws or ordered links or few iterations or overlap are simulated whole") {
  const auto is_simulated = [](const Scenario& scenario) { return !outcome_of(scenario, 0).repetition; };
  const Scenario repeating = repeating_scenario("ideal");
  CHECK_FALSE(is_simulated(repeating));
  CHECK(is_simulated(with_draws(repeating)));
  CHECK(is_simulated(repeating_scenario("nccl_tcp")));  // connections share unevenly, at random
  Scenario ordered = repeating;
  ordered.engine = Engine::event;
  CHECK(is_simulated(ordered));
  Scenario short_one = repeating;
  short_one.iterations = 19;
  CHECK(is_simulated(short_one));
  Scenario overlapping = repeating;
  overlapping.algorithms.clear();
  add_algorithm(overlapping, DearOptions{});
  CHECK(is_simulated(overlapping));
  overlapping.algorithms.front().options = DpsgdOptions{.overlap = true};
  CHECK(is_simulated(overlapping));
}

TEST_CASE("paced rings of NCCL over hosts of several workers repeat after more iterations") {
  Scenario scenario = repeating_scenario("nccl_ib");
  scenario.iterations = 60;
  const Outcome few = outcome_of(scenario, 0);
  REQUIRE(few.repetition);
  CHECK(few.repetition->simulated_iterations > 5);
  CHECK(few.repetition->simulated_iterations < 20);
  check_repeats(few, outcome_of(with_draws(scenario), 0));
}

/// The same cluster with algorithms that average models periodically with all workers, or with neighbors.
Scenario averaging_scenario(const std::string& transport_name) {
  Scenario scenario = repeating_scenario(transport_name);
  scenario.iterations = 77;
  scenario.algorithms.clear();
  const auto on = [](CommunicationGraphKind graph) { return MixingOptions{.graph = std::move(graph)}; };
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 3});
  add_algorithm(scenario, LocalSgdOptions{.collective = "halving_doubling", .sync_period = 10});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 2, .bucket_bytes = 1e6});
  add_algorithm(scenario, SlowMoOptions{.collective = "recursive_doubling", .sync_period = 4});
  add_algorithm(scenario, SlowMoOptions{.sync_period = 6, .mixing = on(OnePeerExponentialGraph{})});
  add_algorithm(scenario, DpsgdOptions{});
  add_algorithm(scenario, DpsgdOptions{.bucket_bytes = 1e6});
  add_algorithm(scenario, DpsgdOptions{.mixing = on(TorusGraph{})});
  add_algorithm(scenario, DpsgdOptions{.mixing = on(OnePeerExponentialGraph{})});
  add_algorithm(scenario, DpsgdOptions{.mixing = on(CompleteGraph{})});
  add_algorithm(scenario, SgpOptions{});
  add_algorithm(scenario, SgpOptions{.neighbors = 2});
  add_algorithm(scenario, SgpOptions{.per_host = true});
  add_algorithm(scenario, DecentralizedAdamOptions{.overlap = false});
  return scenario;
}

TEST_CASE("a run of model averaging with repeated iterations equals the simulation of all iterations") {
  int repeating = 0;
  int runs = 0;
  for (const char* transport_name : {"ideal", "nccl_ib", "mpi_ib"}) {
    const Scenario scenario = averaging_scenario(transport_name);
    for (std::size_t i = 0; i < scenario.algorithms.size(); ++i, ++runs) {
      CAPTURE(transport_name);
      CAPTURE(i);
      const Outcome few = outcome_of(scenario, i);
      if (!few.repetition) continue;
      ++repeating;
      check_repeats(few, outcome_of(with_draws(scenario), i));
    }
  }
  CHECK(2 * repeating > runs);
}

TEST_CASE("runs may differ by chance with random delays or jitter or wake-ups or uneven connections") {
  Scenario same = small_scenario();
  same.engine = Engine::fair;
  same.transport = "nccl_ib";
  CHECK_FALSE(may_differ_by_chance(same));
  CHECK(may_differ_by_chance(with_draws(same)));
  Scenario jittered = same;
  jittered.jitter.share = 1e-3;
  CHECK(may_differ_by_chance(jittered));
  Scenario noticed_late = same;
  noticed_late.message_costs.wake_up_s = 1e-6;
  CHECK(may_differ_by_chance(noticed_late));
  same.transport = "nccl_tcp";
  CHECK(may_differ_by_chance(same));
  same.engine = Engine::event;
  CHECK_FALSE(may_differ_by_chance(same));
}

/// The outcome of `iterations` iterations, found by RepetitionSearch and completed by repetition; nothing if
/// they do not repeat. Iterations of two workers take 1 s, a quarter of it forward, and send one message each
/// `traffic_period` iterations; the second worker ends `late_s` seconds after the first.
std::optional<Outcome> whole_of(const std::function<double(std::int64_t iteration)>& late_s,
                                std::int64_t iterations, std::int64_t traffic_period = 1) {
  constexpr double forward_s = 0.25;
  Outcome outcome(2, iterations);
  RepetitionSearch search({.workers = 2,
                           .iterations = iterations,
                           .traffic_period = traffic_period,
                           .most_iterations = iterations,
                           .ends_with_search = true});
  for (std::int64_t ended = 0; ended < iterations; ++ended) {
    const std::array ends_s = {static_cast<double>(ended),
                               static_cast<double>(ended) + (ended > 0 ? late_s(ended) : 0)};
    for (const Rank rank : {0, 1}) {
      const double end_s = ends_s[static_cast<std::size_t>(rank)];
      if (ended > 0) outcome.log.add(rank, {.end_s = end_s, .ready_s = end_s - 0.5});
      if (ended > 0) outcome.participation.end_iteration(rank);
      search.begin(rank, ended, end_s, end_s + forward_s);
    }
    outcome.statistics = {.makespan_s = ends_s[1],
                          .messages = static_cast<std::uint64_t>(ended / traffic_period),
                          .bytes = 2 * static_cast<double>(ended / traffic_period)};
    if (!search.end_iteration(outcome.statistics, outcome.participation)) continue;
    if (!search.repetition()) return std::nullopt;
    search.add_further_iterations(outcome);
    return outcome;
  }
  return std::nullopt;
}

TEST_CASE("iterations repeat where workers stay equally far apart, and none sends before all have ended") {
  const std::optional<Outcome> whole = whole_of([](std::int64_t) { return 0.125; }, 21);
  REQUIRE(whole);
  CHECK(whole->repetition->simulated_iterations == 5);
  CHECK(whole->log.of(0).size() == 21);
  CHECK(whole->log.of(1)[20].end_s == 21.125);
  CHECK(whole->log.of(1)[20].ready_s == 20.625);
  CHECK(whole->statistics.messages == 21);
  CHECK(whole->statistics.bytes == 42);
  CHECK(whole->statistics.makespan_s == 21.125);
  const auto drifting_s = [](std::int64_t iteration) {
    return 0.125 + 1e-7 * static_cast<double>(iteration);
  };
  CHECK_FALSE(whole_of(drifting_s, 1000));
  // By then the first worker has ended its forward pass and may send.
  CHECK_FALSE(whole_of([](std::int64_t) { return 0.25; }, 1000));
}

TEST_CASE("a repeating pattern of three iterations is continued in its order") {
  const auto late_s = [](std::int64_t iteration) { return 0.125 + static_cast<double>(iteration % 3) / 32; };
  const std::optional<Outcome> whole = whole_of(late_s, 22);
  REQUIRE(whole);
  CHECK(whole->repetition->simulated_iterations == 6);
  CHECK(whole->repetition->period == 3);
  CHECK(whole->log.of(1)[19].end_s == 20.1875);
  CHECK(whole->log.of(1)[20].end_s == 21.125);
  CHECK(whole->log.of(1)[21].end_s == 22.15625);
  CHECK(whole->log.of(0)[21].end_s == 22);
  CHECK(whole->statistics.makespan_s == 22.15625);
}

TEST_CASE("iterations that begin to repeat late must repeat for half of the run so far") {
  const auto late_s = [](std::int64_t iteration) {
    return iteration < 20 ? 1e-3 * static_cast<double>(20 - iteration) : 0.0;
  };
  const std::optional<Outcome> whole = whole_of(late_s, 100);
  REQUIRE(whole);
  CHECK(whole->repetition->simulated_iterations == 39);
  CHECK(whole->log.of(1)[99].end_s == about(100.0));
}

TEST_CASE("iterations repeat those at the same place of the traffic period") {
  const std::optional<Outcome> whole = whole_of([](std::int64_t) { return 0.125; }, 101, 4);
  REQUIRE(whole);
  CHECK(whole->repetition->simulated_iterations == 8);
  CHECK(whole->repetition->period == 4);
  CHECK(whole->statistics.messages == 25);
  CHECK(whole->statistics.bytes == 50);
}

TEST_CASE("a search for repetition ends at its most iterations, and skips workers that run ahead") {
  RepetitionSearch search({.workers = 2, .iterations = 100, .most_iterations = 1, .ends_with_search = true});
  for (const std::int64_t ended : {0, 1}) {
    const auto now_s = static_cast<double>(ended * ended);
    CHECK_FALSE(search.begin(0, ended, now_s, now_s + 0.25));
    CHECK(search.begin(1, ended, now_s, now_s + 0.25));
    CHECK(search.end_iteration({}, ParticipationLog(2)) == (ended == 1));
  }
  CHECK_FALSE(search.repetition());
  RepetitionSearch ahead({.workers = 2, .iterations = 100, .most_iterations = 100});
  for (const std::int64_t begun : {0, 1, 2}) CHECK_FALSE(ahead.begin(0, begun, 0, 0));
  CHECK_FALSE(ahead.begin(1, 0, 0, 0));
  RepetitionSearch given_up({.workers = 1, .iterations = 100, .most_iterations = 0});
  CHECK(given_up.begin(0, 0, 0, 1));
  CHECK_FALSE(given_up.end_iteration({}, ParticipationLog(1)));
  CHECK_FALSE(given_up.begin(0, 1, 1, 2));
}

}  // namespace
}  // namespace starling
