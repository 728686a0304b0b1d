#include "analysis/explanation/run_explainer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/running/runner.hpp"
#include "tests/analysis/running/small_scenario.hpp"
#include "tests/rounding.hpp"
#include "topologies/graphs/spectral_gap.hpp"

namespace starling {
namespace {

constexpr int explained_workers = 8;
constexpr double unlimited = std::numeric_limits<double>::infinity();

Scenario uneven_scenario(TrainingOptions options) {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = explained_workers;
  scenario.iterations = 12;
  scenario.workload.optimizer_s_per_byte = 1e-9;
  scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.02},
                        RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.3}};
  add_algorithm(scenario, std::move(options));
  return scenario;
}

/// All workers' records, one worker after the other, and the events of the runs behind them.
struct Records {
  std::vector<IterationRecord> all;
  std::uint64_t events = 0;
};

Records records_of(const Scenario& scenario, bool is_explained) {
  Records records;
  const RunObservers observers{.run_finished = [&](const Result& result, const IterationLog& log) {
    for (Rank rank = 0; rank < log.workers(); ++rank)
      records.all.insert(records.all.end(), log.of(rank).begin(), log.of(rank).end());
    records.events = result.simulation.events;
  }};
  if (is_explained)
    simulate_and_explain(scenario, observers);
  else
    simulate(scenario, observers);
  return records;
}

/// The records of the same run where neither the network nor operations take time.
Records free_records(Scenario scenario) {
  for (auto& algorithm : scenario.algorithms) algorithm.options = algorithm.options.without_operation_cost();
  scenario.engine = Engine::event;
  scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e18, .latency_s = 0}};
  return records_of(scenario, false);
}

/// Algorithms whose waiting follows from the communication pattern that their options give.
std::vector<TrainingOptions> known_by_options() {
  std::vector<TrainingOptions> all;
  for (const CommunicationGraphKind& graph :
       {CommunicationGraphKind(RingGraph{}), CommunicationGraphKind(CompleteGraph{}),
        CommunicationGraphKind(SymmetricExponentialGraph{}),
        CommunicationGraphKind(OnePeerExponentialGraph{})}) {
    for (const bool overlaps : {false, true})
      all.emplace_back(DpsgdOptions{.mixing = {.graph = graph}, .overlap = overlaps});
    all.emplace_back(SgpOptions{.mixing = MixingOptions{.graph = graph}});
  }
  all.emplace_back(SgpOptions{.neighbors = 2});
  for (const int period : {1, 3}) all.emplace_back(LocalSgdOptions{.sync_period = period});
  all.emplace_back(LocalSgdOptions{.sync_period = 3, .bucket_bytes = 0});
  return all;
}

/// Algorithms whose waiting comes from the runtime model on a free network.
std::vector<TrainingOptions> known_by_models() {
  std::vector<TrainingOptions> all;
  for (const auto kind : {EagerOptions::solo, EagerOptions::majority}) {
    all.emplace_back(EagerOptions{.kind = kind, .limiter = 2});
    all.emplace_back(
        EagerOptions{.kind = kind, .limiter = 5, .model_sync_iterations = 4, .serialized = false});
  }
  all.emplace_back(EagerOptions{.kind = EagerOptions::majority, .operation_cost_s = 1e-4});
  all.emplace_back(WagmaOptions{.sync_period = 3});
  all.emplace_back(WagmaOptions{.sync_period = 4, .published_code = true, .bucket_bytes = 0});
  for (const bool overlaps : {false, true})
    for (const char* graph : {"complete", "one_peer_ring", "one_peer_exponential"})
      all.emplace_back(DecentralizedAdamOptions{.graph = graph, .bucket_bytes = 1e6, .overlap = overlaps});
  for (const bool runs_ahead : {false, true})
    all.emplace_back(DearOptions{.bucket_bytes = 0, .launch_ahead = runs_ahead});
  all.emplace_back(SgpOptions{.overlap = 1});
  all.emplace_back(SgpOptions{.bucket_bytes = 0});
  all.emplace_back(DpsgdOptions{.bucket_bytes = 0});
  return all;
}

/// The events of a run that is simulated message by message, as runs that are evaluated as a whole have none.
std::uint64_t events_by_messages(Scenario scenario, bool is_explained) {
  scenario.collectives = CollectiveExecution::messages;
  return records_of(scenario, is_explained).events;
}

/// The waiting for imbalance of a worker, given its run and its run without communication. The time for which
/// it is blocked without communication counts in the same iteration as far as it was blocked there; the rest
/// counts in the latest earlier iterations that have room for it.
std::vector<double> expected_waiting_s(std::span<const IterationRecord> run,
                                       std::span<const IterationRecord> free) {
  std::vector<double> waiting_s(run.size());
  for (std::size_t i = 0; i < run.size(); ++i) {
    double due_s = free[i].blocked_s;
    for (std::size_t j = i + 1; j-- > 0;) {
      const double more_s = std::min(due_s, run[j].blocked_s - waiting_s[j]);
      waiting_s[j] += more_s;
      due_s -= more_s;
    }
  }
  return waiting_s;
}

/// What a comparison with a run without communication finds over all iterations and workers.
struct Found {
  double most_s = 0;
  double error_s = 0;     // the greatest deviation from expected_waiting_s
  double earliest_s = 0;  // the least of 0 and by how much iterations end later than without communication
  bool needs_events = false;
};

Found found_beside_free_run(const Scenario& scenario) {
  const Records run = records_of(scenario, true);
  const Records free = free_records(scenario);
  Found found{.needs_events = events_by_messages(scenario, true) != events_by_messages(scenario, false)};
  const std::size_t iterations = run.all.size() / explained_workers;
  for (std::size_t first = 0; first < run.all.size(); first += iterations) {
    const std::span<const IterationRecord> records = std::span(run.all).subspan(first, iterations);
    const auto of_free = std::span(free.all).subspan(first, iterations);
    const std::vector<double> expected_s = expected_waiting_s(records, of_free);
    for (std::size_t i = 0; i < iterations; ++i) {
      found.most_s = std::max(found.most_s, expected_s[i]);
      found.error_s = greater_error(found.error_s, std::abs(records[i].imbalance_wait_s - expected_s[i]));
      found.earliest_s = std::min(found.earliest_s, records[i].end_s - of_free[i].end_s);
    }
  }
  return found;
}

// Times are tenths of a second, and messages of 4 MB take 4e-12 s each on the network that costs nothing.
constexpr double tolerance_s = 1e-9;

TEST_CASE(
    "Waiting for imbalance from options or models equals that of a run without communication, without "
    "simulating one") {
  for (const double threshold_bytes : {unlimited, 0.0}) {  // with 0, every message goes by rendezvous
    for (const auto& known : {known_by_options(), known_by_models()}) {
      for (const TrainingOptions& options : known) {
        Scenario scenario = uneven_scenario(options);
        scenario.message_costs.eager_threshold_bytes = threshold_bytes;
        const Found found = found_beside_free_run(scenario);
        CAPTURE(options.kind());
        CAPTURE(threshold_bytes);
        CHECK(found.most_s > 0.005);
        CHECK(found.error_s < tolerance_s);
        CHECK(found.earliest_s > -tolerance_s);
        CHECK(!found.needs_events);
      }
    }
  }
}

TEST_CASE("Waiting until a receiver comes, by rendezvous, is no exposed communication") {
  // On a network that costs nothing, nothing is.
  for (const TrainingOptions& options :
       {TrainingOptions(SgpOptions{}), TrainingOptions(SgpOptions{.neighbors = 2}),
        TrainingOptions(SgpOptions{.overlap = 1}),
        TrainingOptions(DpsgdOptions{.mixing = {.graph = ExponentialGraph{}}})}) {
    Scenario scenario = uneven_scenario(options);
    scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e18, .latency_s = 0}};
    const Records eager = records_of(scenario, true);
    scenario.message_costs.eager_threshold_bytes = 0;
    const Records run = records_of(scenario, true);
    double exposed_s = 0;
    double later_s = 0;
    for (std::size_t i = 0; i < run.all.size(); ++i) {
      exposed_s += run.all[i].blocked_s - run.all[i].imbalance_wait_s;
      later_s = std::max(later_s, run.all[i].end_s - eager.all[i].end_s);
    }
    CAPTURE(options.kind());
    CHECK(later_s > 0.005);
    CHECK(exposed_s < tolerance_s * static_cast<double>(run.all.size()));
  }
}

TEST_CASE("The cost of operations counts as communication and not as waiting for imbalance") {
  constexpr double cost_s = 1e-3;
  for (const TrainingOptions& options : {TrainingOptions(EagerOptions{.operation_cost_s = cost_s}),
                                         TrainingOptions(WagmaOptions{.operation_cost_s = cost_s})}) {
    Scenario scenario = uneven_scenario(options);
    const auto waiting_s = [&] {
      double sum_s = 0;
      for (const IterationRecord& record : records_of(scenario, true).all) sum_s += record.imbalance_wait_s;
      return sum_s;
    };
    CAPTURE(options.kind());
    scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0}};
    // On the free network an operation's messages take less than a nanosecond each: far below 1e-5 of 1 ms.
    CHECK(waiting_s() < 1e-5 * cost_s);
  }
}

TEST_CASE("AD-PSGD never waits and so has no waiting for imbalance") {
  const Found found = found_beside_free_run(uneven_scenario(AdpsgdOptions{}));
  CHECK(found.most_s == 0);
  CHECK(found.error_s == 0);
  CHECK(!found.needs_events);
}

TEST_CASE("The spectral gap is null for graphs with more workers than the limit") {
  for (const int more : {0, 1}) {
    Scenario scenario = small_scenario();
    scenario.cluster.workers = most_workers_with_spectral_gap + more;
    scenario.iterations = 2;
    add_algorithm(scenario, SgpOptions{});
    const Result result = simulate_and_explain(scenario);
    CHECK(result.runs[0].algorithm.at("spectral_gap").is_null() == (more > 0));
  }
}

TEST_CASE("Where communication slows computing down, waiting is found by a second simulation") {
  Scenario slowed = uneven_scenario(DpsgdOptions{});
  slowed.workload.communication_slowdown = 0.5;
  CHECK(records_of(slowed, true).events > records_of(slowed, false).events);
}

}  // namespace
}  // namespace starling
