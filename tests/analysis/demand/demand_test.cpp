#include "analysis/demand/demand.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>

#include "analysis/results/files/iterations_csv.hpp"
#include "analysis/running/bucket_trials.hpp"
#include "analysis/running/runner.hpp"
#include "tests/analysis/demand/demand_scenarios.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "workloads/records/iteration_log.hpp"
#include "workloads/records/large_memory.hpp"

namespace starling {
namespace {

TEST_CASE("Time and records and files grow in proportion to iterations") {
  const JobDemand once = demand_of(ScenarioJob(long_scenario()));
  Scenario scenario = long_scenario();
  scenario.iterations *= 2;
  const JobDemand twice = demand_of(ScenarioJob(scenario));
  CHECK(twice.time_s == 2 * once.time_s);
  CHECK(twice.records_bytes == 2 * once.records_bytes);
  CHECK(twice.files_bytes == 2 * once.files_bytes);
  // A record and a duration for each of 1e9 iterations of 4 workers.
  CHECK(once.records_bytes == 4e9 * (sizeof(IterationRecord) + sizeof(double)));
}

TEST_CASE("Records that fit in memory need no disk") {
  Scenario scenario = long_scenario();
  scenario.iterations = 1000;
  CHECK(demand_of(ScenarioJob(scenario)).records_bytes == 0);
}

TEST_CASE("Memory holds a part of the records on disk and the figures of every iteration") {
  const JobDemand demand = demand_of(ScenarioJob(long_scenario()));
  constexpr auto most = static_cast<double>(most_bytes_in_memory);
  // Half of the bound for records, half for durations, and 16 bytes of means for each of 1e9 iterations.
  CHECK(demand.memory_bytes > most / 2 + most / 2 + 16e9);
  CHECK(demand.iterations_bytes == about(16e9));
  Scenario partial = long_scenario();
  partial.algorithms.clear();
  add_algorithm(partial, EagerOptions{});
  const double counted = demand_of(ScenarioJob(partial)).iterations_bytes - demand.iterations_bytes;
  CHECK(counted == about(2 * 1e9 * sizeof(int)));  // for each of two tensors the number of active workers
}

/// An explainer that keeps a second log of every algorithm.
class SecondLog final : public Explainer {
 public:
  std::int64_t iterations(const ScenarioJob&, std::size_t) const override { return 0; }
  bool keeps_another_log(const ScenarioJob&, std::size_t) const override { return true; }
  std::uint64_t explain(const ScenarioJob&, std::size_t, IterationLog&, RunResult&) override { return 0; }
};

TEST_CASE("A second log for explanations needs records of its own") {
  const Scenario scenario = long_scenario();
  const ScenarioJob job(scenario);
  const SecondLog explainer;
  CHECK(demand_of(job, {.explainer = &explainer}).records_bytes ==
        demand_of(job).records_bytes + 4e9 * sizeof(IterationRecord));
}

TEST_CASE("Files of a real run take between a half and 1/1.1 of the bytes expected") {
  Scenario scenario = small_scenario();
  scenario.iterations = 500;
  scenario.imbalance = {RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.3}};
  add_algorithm(scenario, AllreduceOptions{}, "a label of some length");
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "iterations.csv";
  IterationsCsv csv(path, false);
  RunObservers observers;
  observers.run_finished = [&](const Result&, const IterationLog& log) {
    csv.add_run("a label of some length", log, 1);
  };
  simulate(scenario, observers);
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  CHECK(demand_of(ScenarioJob(scenario)).files_bytes > 1.1 * bytes);
  CHECK(demand_of(ScenarioJob(scenario)).files_bytes < 2 * bytes);
}

TEST_CASE("The time of a measurement is the compute time of its iterations and algorithms and repetitions") {
  Scenario scenario = long_scenario();
  scenario.iterations = 100'000;
  const double compute_s = scenario.workload.compute_total_s();
  CHECK(compute_s > 0);
  // Two algorithms, three repetitions.
  CHECK(demand_of_measuring(ScenarioJob(scenario), 3).time_s == about(2 * 3 * 100'000 * compute_s));
}

TEST_CASE("Modeling is expected to take less time than simulating, and the same memory") {
  const Scenario scenario = long_scenario();
  const ScenarioJob job(scenario);
  const JobDemand simulated = demand_of_modeling(job, true);
  const JobDemand modeled = demand_of_modeling(job, false);
  CHECK(modeled.time_s < simulated.time_s);
  CHECK(modeled.memory_bytes == simulated.memory_bytes);
  CHECK(modeled.estimate.time_s == 0);
}

TEST_CASE("Memory includes the messages of a dense graph of many workers") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 3000;
  add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = CompleteGraph{}}});
  // A complete graph sends P(P − 1) messages an iteration, of at least 400 bytes each in memory.
  CHECK(demand_of(ScenarioJob(scenario)).memory_bytes > 400.0 * 3000 * 2999);
}

/// The messages per iteration of all workers together that an algorithm's `typical_traffic` gives.
double estimated_messages(const ScenarioJob& job, std::size_t index) {
  const PreparedRun run = job.run(index);
  const TypicalTraffic traffic = run.algorithm.typical_traffic(run.workload);
  double messages = job.workers() * traffic.messages;
  for (const TypicalTraffic::Collective& collective : traffic.collectives)
    for (Rank rank = 0; rank < job.workers(); ++rank)
      for (int round = 0; round < collective.schedule->rounds(rank); ++round)
        if (collective.schedule->round(rank, round).send.is_present()) messages += collective.times;
  return messages;
}

TEST_CASE("The estimated messages of every algorithm are within a factor of two of those of a run") {
  Scenario scenario = small_scenario();
  scenario.iterations = 40;
  add_all_algorithms(scenario);
  const ScenarioJob job(scenario);
  const Result result = simulate(scenario);
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    CAPTURE(result.runs[i].label);
    const double sent = static_cast<double>(result.runs[i].traffic.messages) / 40;
    CHECK(estimated_messages(job, i) < 2 * sent);
    CHECK(estimated_messages(job, i) > sent / 2);
  }
}

TEST_CASE("Where times decide nothing, the estimated messages of an algorithm equal its closed form") {
  for (const int workers : {4, 8}) {
    CAPTURE(workers);
    const auto messages_of = [&](const TrainingOptions& options) {
      Scenario scenario = small_scenario();
      scenario.cluster.workers = workers;
      add_algorithm(scenario, options);
      return estimated_messages(ScenarioJob(scenario), 0);
    };
    const double ring = 2.0 * workers * (workers - 1);
    const double doubling = workers * (workers == 4 ? 2 : 3);
    CHECK(messages_of(AllreduceOptions{}) == about(ring));
    CHECK(messages_of(AllreduceOptions{.collective = "recursive_doubling"}) == about(doubling));
    CHECK(messages_of(LocalSgdOptions{.sync_period = 5}) == about(ring / 5));
    CHECK(messages_of(DpsgdOptions{}) == about(2 * workers));
    CHECK(messages_of(DpsgdOptions{.mixing = {.graph = OnePeerExponentialGraph{}}}) == about(workers));
    // For each of two tensors a recursive doubling and an activation of every worker.
    CHECK(messages_of(EagerOptions{}) == about(2 * (doubling + workers)));
    CHECK(messages_of(EagerOptions{.model_sync_iterations = 4}) ==
          about(2 * (doubling + workers) + ring / 4));
    // In nine of ten iterations an activation and one message in a pair from each worker; a recursive
    // doubling in the tenth.
    CHECK(messages_of(WagmaOptions{.group_size = 2}) == about(0.9 * 2 * workers + 0.1 * doubling));
  }
}

/// The expected seconds for simulating the messages of a hundred iterations of an algorithm: the time of a
/// run less that of as many workers that send nothing.
double sending_s(const TrainingOptions& options, int workers, Engine engine,
                 std::int64_t elements = 1'000'000) {
  const auto estimated_s = [&](const TrainingOptions& of, int on) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.cluster.workers = on;
    scenario.iterations = 100;
    scenario.workload.model.tensors[1].elements = elements - scenario.workload.model.tensors[0].elements;
    add_algorithm(scenario, of);
    return demand_of(ScenarioJob(scenario), {.sends_all = true}).estimate.time_s;
  };
  return estimated_s(options, workers) - workers * estimated_s(AllreduceOptions{}, 1);
}

TEST_CASE(
    "The expected time of messages grows with workers as the number of messages of the algorithm does") {
  const auto growth = [](const TrainingOptions& options) {
    return sending_s(options, 16, Engine::event) / sending_s(options, 8, Engine::event);
  };
  CHECK(growth(AllreduceOptions{}) == about(2.0 * 15 / 7, rounding_of_sums));  // 2P(P − 1)
  CHECK(growth(AllreduceOptions{.collective = "recursive_doubling"}) ==
        about(2.0 * 4 / 3, rounding_of_sums));                            // P·log₂P
  CHECK(growth(DpsgdOptions{}) == about(2, rounding_of_sums));            // 2P
  CHECK(growth(EagerOptions{}) == about(2.0 * 5 / 4, rounding_of_sums));  // P(log₂P + 1)
  CHECK(growth(WagmaOptions{.group_size = 2}) ==
        about(2.0 * (0.9 * 2 + 0.1 * 4) / (0.9 * 2 + 0.1 * 3), rounding_of_sums));
}

TEST_CASE(
    "Twice the bytes double the expected time of frames under tcp, but not that of messages under event") {
  const auto growth = [](Engine engine, std::int64_t elements) {
    return sending_s(AllreduceOptions{}, 8, engine, 2 * elements) /
           sending_s(AllreduceOptions{}, 8, engine, elements);
  };
  CHECK(growth(Engine::event, 1'000'000) == about(1, rounding_of_sums));
  CHECK(growth(Engine::tcp, 1'000'000) == about(2, rounding_of_sums));
  CHECK(growth(Engine::tcp, 10'000'000) ==
        about(1, rounding_of_sums));  // both sizes are 128 frames, of more bytes
  CHECK(growth(Engine::tcp, 200'000'000) ==
        about(2, rounding_of_sums));  // frames are limited to a quarter of a window
}

TEST_CASE("A fifth of the all-reduces take a fifth of the expected time of frames") {
  const auto sending = [](int period) {
    return sending_s(LocalSgdOptions{.sync_period = period}, 8, Engine::tcp, 10'000'000);
  };
  CHECK(sending(1) == about(5 * sending(5), rounding_of_sums));
}

/// What a run of one algorithm on `workers` workers of slightly different speed is expected to take.
RunEffort estimate_of(const TrainingOptions& options, int workers, const RunConditions& conditions = {},
                      std::int64_t iterations = 100) {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = workers;
  scenario.iterations = iterations;
  scenario.imbalance = {LinearSkew{.step_s = 1e-5}};
  add_algorithm(scenario, options);
  return demand_of(ScenarioJob(scenario), conditions).estimate;
}

TEST_CASE("The estimated demand of a job is never below its least demand") {
  Scenario scenario = small_scenario();
  add_all_algorithms(scenario);
  const JobDemand demand = demand_of(ScenarioJob(scenario));
  CHECK(demand.estimate.time_s >= demand.time_s);
  CHECK(demand.estimate.memory_bytes >= demand.memory_bytes);
}

TEST_CASE("Evaluated rings are expected to take less time than simulated ones, and watching to take more") {
  const RunConditions by_messages{.sends_all = true};
  const double evaluated_s = estimate_of(AllreduceOptions{}, 1024).time_s;
  CHECK(estimate_of(AllreduceOptions{}, 1024, by_messages).time_s > 10 * evaluated_s);
  CHECK(estimate_of(AllreduceOptions{}, 1024, {.watching = {.links = true}}).time_s > 1.5 * evaluated_s);
  CHECK(estimate_of(AllreduceOptions{}, 1024, {.watching = {.critical_path = true}}).time_s >
        2 * evaluated_s);
  CHECK(estimate_of(AllreduceOptions{}, 1024, {.is_traced = true}).time_s > 20 * evaluated_s);
}

TEST_CASE(
    "A traced run counts twice where collectives may be evaluated, as messages are then simulated for the "
    "timeline") {
  const AllreduceOptions doubling{.collective = "recursive_doubling"};
  const double sent_s = estimate_of(doubling, 256).time_s;
  const double shown_s = estimate_of(doubling, 256, {.is_traced = true, .sends_all = true}).time_s;
  CHECK(estimate_of(doubling, 256, {.is_traced = true}).time_s == about(sent_s + shown_s));
}

TEST_CASE("Passing data on within hosts takes time for each segment") {
  const auto estimated_s = [](std::int64_t parameters) {
    Scenario scenario = small_scenario();
    scenario.cluster.workers_per_host = 2;
    scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 1e10, .latency_s = 1e-7};
    scenario.workload.model.tensors = {{"first", parameters}, {"second", parameters}};
    add_algorithm(scenario, SgpOptions{.per_host = true});
    return demand_of(ScenarioJob(scenario)).estimate.time_s;
  };
  // So many segments that everything else takes less than 5 % of the time.
  constexpr std::int64_t large = std::int64_t{1} << 34;
  CHECK(estimated_s(2 * large) / estimated_s(large) == about(2, 0.05));
}

TEST_CASE("The expected time of a dense graph grows with the pairs of messages that share a link") {
  const DpsgdOptions complete{.mixing = {.graph = CompleteGraph{}}};
  // P links of P − 1 messages each have P(P − 1)²/2 pairs: nearly 8 times as many for twice the workers.
  const double one_s = estimate_of(complete, 128).time_s;
  const double other_s = estimate_of(complete, 256).time_s;
  CHECK(other_s > 6 * one_s);
  CHECK(other_s < 10 * one_s);
}

TEST_CASE("Learning takes the time of all messages and gradients, and memory for models") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  const JobDemand sized = demand_of(ScenarioJob(scenario));
  scenario.learning = learning_of(scenario.cluster.workers);
  const ScenarioJob job(scenario);
  const JobDemand learned = demand_of(job);
  CHECK(learned.memory_bytes == about(sized.memory_bytes + 4 * 3 * 100'000 * sizeof(float)));
  CHECK(learned.estimate.memory_bytes >= learned.memory_bytes);
  // Gradients of four workers in five iterations, on top of a run that simulates all messages.
  const LearningShape gradients{.operations = 20 * scenario.learning->task->gradient_operations()};
  CHECK(learned.estimate.time_s > sized.estimate.time_s + effort_of(gradients).time_s);
  CHECK(demand_of(job, {.learns = false}).estimate.time_s == sized.estimate.time_s);
}

TEST_CASE("The states of optimizers need memory for each parameter") {
  const auto estimated_bytes = [](const OptimizerOptions& optimizer) {
    Scenario scenario = small_scenario();
    add_algorithm(scenario, AllreduceOptions{});
    scenario.learning = learning_of(scenario.cluster.workers);
    scenario.learning->optimizer = optimizer;
    return demand_of(ScenarioJob(scenario)).estimate.memory_bytes;
  };
  constexpr double parameters_bytes =
      4 * 100'000 * sizeof(float);  // one copy of the model on each of four workers
  const double kept_by_none = estimated_bytes({.kind = OptimizerKind::sgd});
  CHECK(estimated_bytes({.kind = OptimizerKind::adam}) == about(kept_by_none + 2 * parameters_bytes));
  CHECK(estimated_bytes({.kind = OptimizerKind::accum_adam}) == about(kept_by_none + 3 * parameters_bytes));
}

TEST_CASE("A search for the bucket size takes as long as a run of its iterations") {
  const double search_s = estimate_of(DearOptions{}, 1024, {}, bucket_search_iterations()).time_s;
  CHECK(estimate_of(DearOptions{.bucket_bytes = {}}, 1024).time_s ==
        about(estimate_of(DearOptions{}, 1024).time_s + search_s));
}

TEST_CASE("A run that stops at a wanted precision has an expected time for the most iterations, too") {
  Scenario scenario = small_scenario();
  scenario.iterations = 100;
  scenario.precision = WantedPrecision{.most_iterations = 5000};
  add_algorithm(scenario, AllreduceOptions{});
  const JobDemand demand = demand_of(ScenarioJob(scenario));
  CHECK(demand.most_time_s == about(50 * demand.estimate.time_s));
}

}  // namespace
}  // namespace starling
