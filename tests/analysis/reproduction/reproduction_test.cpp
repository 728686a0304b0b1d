#include "analysis/reproduction/reproduction.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/reproduction/reproduction_text.hpp"
#include "analysis/running/runner.hpp"
#include "published_entries.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {

namespace {

/// Entries of two papers and the outcomes of their runs: one is not comparable, one failed, one is still
/// running.
struct PublishedExample {
  std::vector<PublishedEntry> entries;
  ReproductionPlan plan;
  std::vector<std::optional<RunOutcome>> outcomes;

  PublishedExample() {
    add("a1", "A (2020)", 1, RunFigures{.mean_s = 1.04, .relative_error = 0.003});
    add("a2", "A (2020)", 2, RunFigures{.mean_s = 1.84});
    add("a3", "A (2020)", 1, RunFigures{.mean_s = 1.3});
    add("b1", "B (2021)", 1, "deadlock");
    add("b2", "B (2021)", 1, std::nullopt);
    entries.push_back(entry("a4", "A (2020)", 76));
    plan.entries.push_back({.status = EntryStatus::not_comparable, .reason = "accuracy, not time"});
    plan.entries.at(2).is_calibration = true;
  }

  std::vector<EntryOutcome> decided() const { return entry_outcomes(entries, plan, outcomes); }

 private:
  static PublishedEntry entry(const std::string& id, const std::string& paper, double value) {
    PublishedEntry entry;
    entry.id = id;
    entry.paper = paper;
    entry.metric = "iteration_time_s";
    entry.value = value;
    return entry;
  }
  void add(const std::string& id, const std::string& paper, double published,
           std::optional<RunOutcome> outcome) {
    entries.push_back(entry(id, paper, published));
    plan.entries.push_back({.runs = {outcomes.size()}, .predict = [](const std::vector<RunFigures>& figures) {
                              return figures.at(0).mean_s;
                            }});
    outcomes.push_back(std::move(outcome));
  }
};

TEST_CASE("the summary of a paper has the errors of its compared entries") {
  const PublishedExample example;
  const auto summaries = paper_summaries(example.decided());
  CHECK(summaries.size() == 2);
  const PaperSummary& a = summaries.at(0);
  CHECK(a.paper == "A (2020)");
  CHECK(a.compared == 3);
  CHECK(a.calibration == 1);
  CHECK(*a.median_abs_error == about(0.08));  // of 4, 8 and 30 %
  CHECK(*a.worst_abs_error == about(0.30));
  CHECK(*a.median_abs_error_of_predictions == about(0.06));  // of 4 and 8 %
  CHECK(a.worst_entry == "a3");
  CHECK(*a.within_5_percent == about(1.0 / 3));
  CHECK(*a.within_10_percent == about(2.0 / 3));
  CHECK(summaries.at(1).compared == 0);
  CHECK_FALSE(summaries.at(1).median_abs_error);
}

TEST_CASE("the sampling error of a prediction from several runs is the root of their summed squares") {
  PublishedExample example;
  example.plan.entries.at(0).runs = {0, 1};
  example.outcomes.at(0) = RunFigures{.mean_s = 1.04, .relative_error = 0.03};
  example.outcomes.at(1) = RunFigures{.mean_s = 1.84, .relative_error = 0.04};
  CHECK(example.decided().at(0).sampling_error == about(0.05));
  CHECK(example.decided().at(1).sampling_error == about(0.04));
}

TEST_CASE("reproduce.json has the entries that are decided, and says whether these are all") {
  const PublishedExample example;
  const nlohmann::json document = reproduction_json(example.decided(), false);
  CHECK(document.at("finished") == false);
  const auto& entries = document.at("entries");
  CHECK(entries.size() == 5);  // b2 is not decided
  CHECK(entries.at(0).at("id") == "a1");
  CHECK(entries.at(0).at("status") == "compared");
  CHECK(entries.at(0).at("published") == 1.0);
  CHECK(entries.at(0).at("predicted") == 1.04);
  CHECK(entries.at(0).at("relative_error").get<double>() == about(0.04, 1e-12));
  CHECK(entries.at(0).at("sampling_error") == 0.003);
  CHECK(entries.at(0).at("reason").is_null());
  CHECK(entries.at(2).at("calibration") == true);
  CHECK(entries.at(3).at("status") == "failed");
  CHECK(entries.at(3).at("reason") == "deadlock");
  CHECK(entries.at(3).at("predicted").is_null());
  CHECK(entries.at(4).at("status") == "not_comparable");
  CHECK(entries.at(4).at("reason") == "accuracy, not time");
  CHECK(document.at("papers").at(0).at("worst_entry") == "a3");
  CHECK(document.at("papers").at(1).at("median_abs_error").is_null());
}

TEST_CASE("the table has every decided entry, by paper") {
  CHECK(reproduction_table(PublishedExample().decided()) ==
        "A (2020)\n"
        "entry  published  predicted    error  calibration  inside\n"
        "a1       1.000 s    1.040 s   +4.0 %           no       –\n"
        "a2       2.000 s    1.840 s   -8.0 %           no       –\n"
        "a3       1.000 s    1.300 s  +30.0 %          yes       –\n"
        "not comparable, accuracy, not time:\n"
        "    a4\n"
        "3 compared, |error|: median 8.0 %, worst 30.0 %; 33.3 % within 5 %, 66.7 % within 10 %\n"
        "without the 1 that profiles were fitted to: median 6.0 %\n"
        "\n"
        "B (2021)\n"
        "failed: b1\n"
        "    deadlock\n"
        "nothing to compare\n"
        "\n"
        "paper  compared  median |error|   worst  within 5 %  within 10 %\n"
        "A             3           8.0 %  30.0 %      33.3 %       66.7 %\n"
        "B             0               –       –           –            –\n");
}

TEST_CASE("throughputs in the table have four digits, also below 1 a second") {
  PublishedExample example;
  example.entries.at(0).metric = "throughput_samples_per_s";
  std::vector<EntryOutcome> decided = example.decided();
  decided.at(0).predicted = 0.04;
  CHECK(reproduction_table(decided).find("\na1          1 /s    0.04 /s") != std::string::npos);
}

TEST_CASE("an entry without a published value is predicted, and counts for no error") {
  PublishedExample example;
  example.entries.at(1).value.reset();
  std::vector<EntryOutcome> decided = example.decided();
  decided.at(1).interval_90 = Interval{1.6, 2.1};
  CHECK(paper_summaries(decided).at(0).compared == 2);
  const nlohmann::json entry = reproduction_json(decided, true).at("entries").at(1);
  CHECK(entry.at("status") == "predicted");
  CHECK(entry.at("published").is_null());
  CHECK(entry.at("predicted") == 1.84);
  CHECK(entry.at("relative_error").is_null());
  CHECK(
      reproduction_table(decided).starts_with("A (2020)\n"
                                              "entry  published  predicted    error  calibration  inside\n"
                                              "a1       1.000 s    1.040 s   +4.0 %           no       –\n"
                                              "a2             –    1.840 s        –           no       –\n"
                                              "a3       1.000 s    1.300 s  +30.0 %          yes       –\n"
                                              "a2, 90 % interval: 1.600 s to 2.100 s\n"));
}

TEST_CASE("an entry that still drifts in its longest run is listed, with the change as its sampling error") {
  PublishedExample example;
  example.outcomes.at(1) = RunFigures{.mean_s = 1.84, .relative_error = 0.44, .is_drifting = true};
  const nlohmann::json entries = reproduction_json(example.decided(), false).at("entries");
  CHECK(entries.at(0).at("drifting") == false);
  CHECK(entries.at(1).at("drifting") == true);
  CHECK(entries.at(1).at("sampling_error") == 0.44);
  CHECK(entries.at(3).at("drifting") == false);
  CHECK(reproduction_table(example.decided())
            .find("a3       1.000 s    1.300 s  +30.0 %          yes       –\n"
                  "iteration times still drift while counted:\n"
                  "    a2 by 44.0 %\n"
                  "not comparable, accuracy, not time:\n") != std::string::npos);
}

/// Benchmarks of all-reduces on 2, 3, … workers.
std::vector<PublishedRun> small_runs(int count) {
  std::vector<PublishedRun> runs;
  for (int i = 0; i < count; ++i) {
    CollectiveLatencyOptions benchmark;
    benchmark.cluster.options.workers = 2 + i;
    benchmark.cluster.options.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e9, .latency_s = 1e-6}};
    benchmark.kind = "allreduce";
    benchmark.delay_step_s = 1;
    runs.emplace_back(benchmark);
  }
  return runs;
}

TEST_CASE("every run ends once, with the same figures for any number of jobs") {
  const auto runs = small_runs(9);
  for (const int jobs : {1, 2, 20}) {
    CAPTURE(jobs);
    std::set<std::size_t> ended;
    execute_all(runs, jobs, [&](std::size_t run, const RunOutcome& outcome) {
      CHECK(ended.insert(run).second);
      CHECK(std::get<RunFigures>(outcome).mean_s == execute(runs[run]).mean_s);
    });
    CHECK(ended.size() == runs.size());
  }
}

TEST_CASE("a random run is long enough for a sampling error, however long its pattern") {
  // Groups repeat after 2 iterations and all workers synchronize every 101: the pattern has 202 iterations,
  // as many as a first run with 64 workers counts.
  const auto scenario = nlohmann::json::parse(R"json({
    "cluster": {"workers": 64, "network": {"kind": "star", "link": {"bandwidth": 1e9, "latency": 1e-6}}},
    "workload": {"model": "hyperplane_mlp", "batch_size": 1, "compute": {"forward": 0.1, "backward": 0.2},
                 "imbalance": {"kind": "lognormal", "coefficient_of_variation": 0.1}},
    "algorithms": [{"kind": "wagma", "group_size": 8, "sync_period": 101}]
  })json");
  const RunFigures figures = execute(read_published_run(scenario, "wagma.json"));
  CHECK(figures.relative_error > 0);
  CHECK(figures.relative_error < 0.02);  // about 1 % is asked for
}

TEST_CASE("a run with random wake-up times has a sampling error even without random compute times") {
  auto scenario = nlohmann::json::parse(R"json({
    "cluster": {"workers": 4, "network": {"kind": "star", "link": {"bandwidth": 1e9, "latency": 1e-6}},
                "transport": "mpi_tcp", "wake_up": 5e-4},
    "workload": {"model": "hyperplane_mlp", "batch_size": 1, "compute": {"forward": 0.01, "backward": 0.02}},
    "algorithms": [{"kind": "ddp"}]
  })json");
  const RunFigures figures = execute(read_published_run(scenario, "late.json"));
  CHECK(figures.relative_error > 0);
  CHECK(figures.relative_error < 0.02);
  scenario["cluster"].erase("wake_up");
  scenario["cluster"]["transport"] = "ideal";
  CHECK(execute(read_published_run(scenario, "ideal.json")).relative_error == 0);
}

TEST_CASE("a run that drifts is repeated with a longer warm-up and more iterations until it has settled") {
  // The slow worker delays the others hop by hop, the farthest after 64 iterations, so that the first run of
  // 100 iterations is 11 % too fast.
  const auto scenario = nlohmann::json::parse(R"json({
    "cluster": {"workers": 128, "network": {"kind": "star", "link": {"bandwidth": 1e10, "latency": 1e-6}}},
    "workload": {"model": "hyperplane_mlp", "batch_size": 1, "compute": {"forward": 0.1, "backward": 0.2},
                 "imbalance": [{"kind": "gamma", "coefficient_of_variation": 0.02},
                               {"kind": "slow_workers", "workers": [0], "factor": 2}]},
    "algorithms": [{"kind": "dpsgd", "graph": "ring"}]
  })json");
  const PublishedRun run = read_published_run(scenario, "ring.json");
  const Result first = simulate(std::get<Scenario>(run));
  CHECK(first.runs.front().sampling.drift_s);
  CHECK(first.runs.front().iteration_time_s.mean < 0.55);
  const RunFigures figures = execute(run);
  CHECK_FALSE(figures.is_drifting);
  CHECK(figures.relative_error > 0);
  CHECK(figures.relative_error < 0.02);       // about 1 % is asked for
  CHECK(figures.mean_s == about(0.6, 0.02));  // the slow worker's time, within two such errors
  // The scenario is saved with the number of iterations of its last run.
  const auto saved = nlohmann::json::parse(with_length(scenario.dump(), figures));
  const auto again = read_scenario_document(saved, "ring.json");
  CHECK(again.iterations > std::get<Scenario>(run).iterations);
  CHECK(simulate(again).runs.front().iteration_time_s.mean == figures.mean_s);
}

TEST_CASE("the model predicts a run without shared links as the simulation does") {
  const auto scenario = nlohmann::json::parse(R"json({
    "cluster": {"workers": 8, "network": {"kind": "star", "link": {"bandwidth": 1e9, "latency": 1e-6}}},
    "workload": {"model": "resnet50", "batch_size": 1, "compute": {"forward": 0.1, "backward": 0.2},
                 "imbalance": {"kind": "lognormal", "coefficient_of_variation": 0.1}},
    "algorithms": [{"kind": "dear"}]
  })json");
  const PublishedRun run = read_published_run(scenario, "dear.json");
  const RunFigures simulated = execute(run);
  const RunFigures modeled = execute(run, Predictor::model);
  CHECK(modeled.mean_s == about(simulated.mean_s, 1e-6));
  CHECK(modeled.median_s == about(simulated.median_s, 1e-6));
}

TEST_CASE("entries that the model cannot predict are not comparable, with a reason") {
  ReproductionPlan plan{.entries = {{.runs = {0}}}, .runs = small_runs(1), .scenarios = {}};
  leave_out_unmodeled(plan);
  CHECK(plan.entries[0].status == EntryStatus::not_comparable);
  CHECK(plan.entries[0].runs.empty());
  CHECK(plan.entries[0].reason.find("microbenchmark") != std::string::npos);
  CHECK_THROWS_AS(execute(plan.runs[0], Predictor::model), std::invalid_argument);
}

TEST_CASE("a run that fails ends with its error, and the others go on") {
  auto runs = small_runs(2);
  std::get<CollectiveLatencyOptions>(runs.at(0)).collective = "smoke signals";
  std::string problem;
  int ended = 0;
  execute_all(runs, 1, [&](std::size_t run, const RunOutcome& outcome) {
    ++ended;
    if (run == 0) problem = std::get<std::string>(outcome);
  });
  CHECK(ended == 2);
  CHECK(problem.find("smoke signals") != std::string::npos);
}

/// Two runs of a scenario with different seeds.
std::vector<PublishedRun> two_scenarios() {
  auto scenario = nlohmann::json::parse(R"json({
    "cluster": {"workers": 4, "network": {"kind": "star", "link": {"bandwidth": 1e9, "latency": 1e-6}}},
    "workload": {"model": "hyperplane_mlp", "batch_size": 1, "compute": {"forward": 0.1, "backward": 0.2},
                 "imbalance": {"kind": "lognormal", "coefficient_of_variation": 0.1}},
    "algorithms": [{"kind": "ddp"}]
  })json");
  std::vector<PublishedRun> runs{read_published_run(scenario, "first.json")};
  scenario["seed"] = 7;
  runs.push_back(read_published_run(scenario, "second.json"));
  return runs;
}

TEST_CASE("runs kept by an interrupted reproduction are not repeated, and have the same figures") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "runs.jsonl";
  const auto runs = two_scenarios();
  KeptRuns first(file, Predictor::simulation);
  int ended = 0;
  const auto stop = [&](std::size_t, const RunOutcome&) {
    ++ended;
    throw std::runtime_error("interrupted");
  };
  CHECK_THROWS_WITH(execute_all(runs, 1, stop, Predictor::simulation, &first), "interrupted");
  CHECK(ended == 1);

  KeptRuns second(file, Predictor::simulation);
  CHECK(second.find(runs[0]).has_value() != second.find(runs[1]).has_value());
  std::vector<double> means(2);
  const auto note = [&](std::size_t run, const RunOutcome& outcome) {
    means[run] = std::get<RunFigures>(outcome).mean_s;
  };
  execute_all(runs, 1, note, Predictor::simulation, &second);
  CHECK(means == std::vector{execute(runs[0]).mean_s, execute(runs[1]).mean_s});
  CHECK(KeptRuns(file, Predictor::simulation).find(runs[1])->relative_error ==
        execute(runs[1]).relative_error);
  CHECK_FALSE(KeptRuns(file, Predictor::model).find(runs[0]));
}

TEST_CASE("figures of a microbenchmark are kept and read again, but not for other options") {
  const ScratchFolder folder;
  auto benchmark = nlohmann::json::parse(R"json({
    "benchmark": "collective_latency", "seed": 1, "message_bytes": 1024, "operations": 4, "first_delay": 0,
    "delay_step": 1e-4, "algorithm": {"kind": "eager_solo"},
    "cluster": {"workers": 4, "network": {"kind": "star", "link": {"bandwidth": 1e9, "latency": 1e-6}}}
  })json");
  const PublishedRun run = read_published_run(benchmark, "benchmark.json");
  const RunFigures figures = execute(run);
  KeptRuns(folder.path() / "runs.jsonl", Predictor::simulation).keep(run, figures);
  KeptRuns again(folder.path() / "runs.jsonl", Predictor::simulation);
  REQUIRE(again.find(run));
  CHECK(again.find(run)->mean_s == figures.mean_s);
  benchmark["delay_step"] = 2e-4;
  CHECK_FALSE(again.find(read_published_run(benchmark, "benchmark.json")));
}

TEST_CASE("an observer of ended runs can stop the execution by throwing") {
  const auto runs = small_runs(50);
  int ended = 0;
  const auto stop = [&](std::size_t, const RunOutcome&) {
    ++ended;
    throw std::runtime_error("the disk is full");
  };
  CHECK_THROWS_WITH(execute_all(runs, 2, stop), "the disk is full");
  CHECK(ended == 1);
}

}  // namespace

}  // namespace starling
