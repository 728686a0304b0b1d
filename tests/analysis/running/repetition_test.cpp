#include "analysis/running/repetition.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "explanation_difference.hpp"
#include "log_difference.hpp"
#include "sim/messages/transport.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// Sixteen workers on four hosts, on two leaves that can send half of what their hosts do.
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

/// The same, where delays are drawn, all of them none.
Scenario with_draws(Scenario scenario) {
  scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0}};
  return scenario;
}

Outcome outcome_of(const Scenario& scenario, std::size_t index) {
  const ScenarioJob job(scenario);
  return SimulatedMachine(job.scenario(), job.routes(), nullptr).try_out(job.run(index));
}

void check_repeats(const Outcome& few, const Outcome& all) {
  CHECK(*few.simulated_iterations == iterations_to_repeat);
  CHECK(difference(few.log, all.log) < rounding_of_sums);
  CHECK(few.statistics.messages == all.statistics.messages);
  CHECK(few.statistics.rendezvous_messages == all.statistics.rendezvous_messages);
  CHECK(few.statistics.bytes == all.statistics.bytes);
  CHECK(std::abs(few.statistics.makespan_s / all.statistics.makespan_s - 1) < rounding_of_sums);
}

TEST_CASE("iterations that repeat are those that a simulation of all of them gives") {
  int repeating = 0;
  int runs = 0;
  for (const char* transport_name : {"ideal", "nccl_ib", "mpi_ib"}) {
    const Scenario scenario = repeating_scenario(transport_name);
    for (std::size_t i = 0; i < scenario.algorithms.size(); ++i, ++runs) {
      CAPTURE(transport_name);
      CAPTURE(i);
      const Outcome few = outcome_of(scenario, i);
      const Outcome all = outcome_of(with_draws(scenario), i);
      CHECK_FALSE(all.simulated_iterations);
      if (!few.simulated_iterations) continue;
      ++repeating;
      check_repeats(few, all);
    }
  }
  CHECK(3 * repeating > 2 * runs);  // in others rounding decides who waits for whom
}

Measurement watched(const Scenario& scenario, std::size_t index) {
  const ScenarioJob job(scenario);
  return SimulatedMachine(job.scenario(), job.routes(), nullptr, {.links = true, .critical_path = true})
      .measure(job.run(index), nullptr, nullptr);
}

/// What links carry to `rounding_of_sums`, as moments are that repeat.
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

TEST_CASE("links and critical paths of iterations that repeat are those of all of them") {
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
      if (!few.outcome.simulated_iterations) continue;
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
  CHECK(2 * same_paths > repeating);  // in others, rounding decides which of two equally long ways is walked
}

TEST_CASE("iterations repeat where communication slows computing down") {
  Scenario scenario = repeating_scenario("nccl_ib");
  scenario.workload.communication_slowdown = 0.3;
  constexpr std::size_t wfbp_by_recursive_doubling = 3;
  const Outcome few = outcome_of(scenario, wfbp_by_recursive_doubling);
  REQUIRE(few.simulated_iterations);
  check_repeats(few, outcome_of(with_draws(scenario), wfbp_by_recursive_doubling));
}

TEST_CASE("what draws anything, keeps an order or has but few iterations is simulated") {
  const auto is_simulated = [](const Scenario& scenario) {
    return !outcome_of(scenario, 0).simulated_iterations;
  };
  // Paced rings of NCCL through hosts of several workers repeat after eight iterations, which is too late.
  CHECK(is_simulated(repeating_scenario("nccl_ib")));
  const Scenario repeating = repeating_scenario("ideal");
  CHECK_FALSE(is_simulated(repeating));
  CHECK(is_simulated(with_draws(repeating)));
  CHECK(is_simulated(repeating_scenario("nccl_tcp")));  // whose connections get uneven shares
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
}

TEST_CASE("it is known what may differ by chance") {
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

/// Two workers whose five iterations take 1 s each, a quarter of it forward; the second worker ends `late_s`
/// after the first one, every other time `other_s` later, and `drift_s` later each time.
Outcome hand_made(double late_s, double other_s = 0, double drift_s = 0) {
  Outcome outcome(2);
  for (int i = 1; i <= 5; ++i) {
    outcome.log.add(0, {.end_s = 1.0 * i, .ready_s = i - 0.5, .forward_s = 0.25});
    outcome.log.add(
        1, {.end_s = i + late_s + i % 2 * other_s + i * drift_s, .ready_s = i - 0.5, .forward_s = 0.25});
  }
  outcome.statistics = {.makespan_s = 5.5, .events = 70, .messages = 10, .bytes = 20};
  return outcome;
}

/// Of so many, if they repeat the first ones.
std::optional<Outcome> whole_of(const Outcome& first, std::int64_t iterations) {
  const std::optional<Repetition> how = repetition(first, iterations);
  if (!how) return std::nullopt;
  return repeated(first, *how);
}

TEST_CASE(
    "iterations repeat where workers are as far apart as before, and none sends before all have ended") {
  const std::optional<Outcome> whole = whole_of(hand_made(0.125), 21);
  REQUIRE(whole);
  CHECK(whole->log.of(0).size() == 21);
  CHECK(whole->log.of(1)[20].end_s == 21.125);
  CHECK(whole->log.of(1)[20].ready_s == 20.5);
  CHECK(whole->statistics.messages == 42);
  CHECK(whole->statistics.bytes == 84);
  CHECK(whole->statistics.makespan_s == 21.5);
  CHECK(whole->statistics.events == 70);
  CHECK_FALSE(whole_of(hand_made(0.125, 0, 1e-6), 21));
  CHECK_FALSE(whole_of(hand_made(0.25), 21));  // the first one has done its forward pass by then
  Outcome once = hand_made(0.125);
  ++once.statistics.messages;
  CHECK_FALSE(whole_of(once, 21));
}

TEST_CASE("iterations repeat those before the last ones") {
  const std::optional<Outcome> whole = whole_of(hand_made(0.125, 0.0625), 22);
  REQUIRE(whole);
  CHECK(whole->log.of(1)[20].end_s == 21.1875);
  CHECK(whole->log.of(1)[21].end_s == 22.125);
  CHECK(whole->log.of(0)[21].end_s == 22);
}

}  // namespace
}  // namespace starling
