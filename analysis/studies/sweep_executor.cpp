#include "analysis/studies/sweep_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "analysis/demand/shortage.hpp"
#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/explanation/run_explainer.hpp"
#include "analysis/results/files/result_json.hpp"
#include "analysis/results/files/saved_result.hpp"
#include "analysis/running/traffic_warnings.hpp"
#include "analysis/uncertainty/ties.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunWarning, kind, sentence)

namespace {

using nlohmann::json;

/// Warns if batch sizes vary and compute times are assumed to be proportional to them.
void add_batch_warning(const SweepPlan& plan, const Scenario& scenario, EndedRun& ended) {
  const std::vector<std::string>& varied = plan.pointers();
  if (std::ranges::find(varied, "/workload/batch_size") == varied.end()) return;
  if (scenario.as_read.at("workload").at("compute").contains("throughput"))
    ended.warnings.push_back(
        "/workload/batch_size varies, and with workload.compute.throughput compute times are proportional to "
        "it, without a constant part; measured \"batches\" are more accurate");
}

void add_warnings(SweepRun& run, WarningKind kind, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) run.warnings.push_back({kind, sentence});
}

/// Adds the warnings that are known before a run begins. Those about traffic are added with the first seed
/// only, as traffic does not depend on the seed, and only as far as no run is needed to find them.
void find_warnings(const ScenarioJob& job, SweepRun& run) {
  add_warnings(run, WarningKind::partial_periods, job.partial_periods());
  if (run.replication == 0)
    add_warnings(run, WarningKind::uneven_traffic, traffic_warnings(job, TrafficScope::of_collectives));
}

/// A sentence for each algorithm or job of a result whose iteration times still drift.
std::vector<std::string> drifts_of(const nlohmann::json& result) {
  std::vector<std::string> sentences;
  for (const nlohmann::json& block : blocks_of(result))
    if (const auto drift_s = block.find("drift_s"); drift_s != block.end())
      sentences.push_back(fmt::format(
          "{}: iteration times still drift while counted, from {} to {}: the mean is not one of a steady "
          "state; count more iterations, after more warm-up (/warmup_iterations)",
          label_of(block), time_text(drift_s->at(0).get<double>()), time_text(drift_s->at(1).get<double>())));
  return sentences;
}

/// Observers that refuse a run for which this machine, shared by `runs_at_once` runs, has too little, and add
/// to the run's warnings.
RunObservers observers_of(const Scenario& scenario, SweepRun& run, int runs_at_once) {
  RunObservers observers;
  observers.job_made = [&run, runs_at_once](const ScenarioJob& job) {
    const RunExplainer explainer;
    refuse_shortage(job, supply_of_machine(std::nullopt, runs_at_once), Forcing::impossible,
                    {.explainer = &explainer});
    find_warnings(job, run);
  };
  observers.jobs_made = [&scenario, runs_at_once](const JobDemand& demand) {
    refuse_shortage(scenario, demand, supply_of_machine(std::nullopt, runs_at_once), Forcing::impossible);
  };
  if (!scenario.jobs.empty() && run.replication == 0)
    observers.warned_of_traffic = [&run](const std::string& sentence) {
      add_warnings(run, WarningKind::uneven_traffic, {sentence});
    };
  return observers;
}

/// Simulates in this process, and fills the run's result and warnings.
void simulate_here(const Scenario& scenario, SweepRun& run, int runs_at_once) {
  const Result result = simulate_and_explain(scenario, observers_of(scenario, run, runs_at_once));
  run.result = result_json(result);
  add_warnings(run, WarningKind::decided_by_ties, tie_warnings(scenario, result));
  add_warnings(run, WarningKind::unchecked_ties, unchecked_tie_warnings(scenario, result));
}

/// The task for make_limited_run().
json task_of(const ScenarioDocument& document, const SweepRun& run, int runs_at_once) {
  json changes = json::array();
  for (const Override& change : document.changes)
    changes.push_back(json::array({change.given_by, change.option}));
  return {{"file", document.file.string()}, {"folder", document.folder.string()},
          {"place", document.place},        {"scenario", document.json},
          {"changes", std::move(changes)},  {"replication", run.replication},
          {"runs_at_once", runs_at_once}};
}

/// The scenario document of such a task. Its changes are already applied; errors still name them.
ScenarioDocument document_in(const json& task) {
  ScenarioDocument document{.file = task.at("file").get<std::string>(),
                            .json = task.at("scenario"),
                            .changes = {},
                            .place = task.at("place").get<std::string>(),
                            .folder = task.at("folder").get<std::string>()};
  for (const json& change : task.at("changes"))
    document.changes.push_back(
        parse_override(change.at(1).get<std::string>(), change.at(0).get<std::string>()));
  return document;
}

/// Simulates, in a child process where that is necessary, and fills the run's result and warnings, or the
/// error that a process with a limit answers.
void simulate(const ScenarioDocument& document, const Scenario& scenario, SweepRun& run, int runs_at_once,
              const std::optional<RunLimit>& limit) {
  if (limit) {
    const json answer = answer_within(task_of(document, run, runs_at_once), *limit);
    run.error = answer.at("error").get<std::string>();
    run.result = answer.at("result");
    run.warnings = answer.at("doubts").get<std::vector<RunWarning>>();
    if (!run.is_done()) return;
  } else if (scenario.engine == Engine::simgrid) {
    // The child does not know that other runs share the machine, so memory is checked here.
    if (scenario.jobs.empty()) observers_of(scenario, run, runs_at_once).job_made(ScenarioJob(scenario));
    run.result = simulate_in_process(document, scenario.name);
  } else {
    simulate_here(scenario, run, runs_at_once);
  }
  run.result.erase("simulation");
  add_warnings(run, WarningKind::unsettled, drifts_of(run.result));
}

}  // namespace

SweepExecutor::SweepExecutor(const SweepPlan& plan, std::unordered_set<std::string> known,
                             const std::vector<InputContent>& inputs, int threads,
                             std::optional<RunLimit> limit)
    : plan_(plan), known_(std::move(known)), inputs_(inputs), threads_(threads), limit_(std::move(limit)) {}

std::optional<SweepPoint> SweepExecutor::known_point(const SweepTask& task) {
  try {
    const Scenario scenario = read_scenario(plan_.document(task.combination, task.replication));
    std::string hash = ScenarioHash::of(scenario, inputs_.of(scenario));
    if (known_.contains(hash)) return SweepPoint{task.combination, task.replication, std::move(hash)};
  } catch (const std::exception&) {
    // execute() makes this its error.
  }
  return std::nullopt;
}

EndedRun SweepExecutor::execute(const SweepTask& task) {
  const auto start = std::chrono::steady_clock::now();
  EndedRun ended;
  ended.run.combination = task.combination;
  ended.run.replication = task.replication;
  std::string text;
  try {
    const ScenarioDocument document = plan_.document(task.combination, task.replication);
    text = document.json.dump();
    const Scenario scenario = read_scenario(document);
    ended.warnings = scenario.warnings;
    add_batch_warning(plan_, scenario, ended);
    if (scenario.transport_reason != "given" && scenario.cluster.workers > 1)
      ended.run.taken_transport = scenario.transport;
    ended.run.inputs = inputs_.of(scenario);
    ended.run.scenario_hash = ScenarioHash::of(scenario, ended.run.inputs);
    ended.is_known = known_.contains(ended.run.scenario_hash);
    if (!ended.is_known) simulate(document, scenario, ended.run, threads_, limit_);
    // A child has read the files once more: check that they have not changed in between.
    if (!ended.is_known && (limit_ || scenario.engine == Engine::simgrid)) (void)inputs_.of(scenario);
  } catch (const std::exception& error) {
    ended.run.error = error_text(error);
    if (ended.run.scenario_hash.empty())
      ended.run.scenario_hash = ScenarioHash::of(fmt::format("{}\n{}", ended.run.error, text));
  }
  ended.run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return ended;
}

std::string make_limited_run(const std::string& task) {
  const json document = json::parse(task);
  SweepRun run;
  run.replication = document.at("replication").get<int>();
  try {
    simulate_here(read_scenario(document_in(document)), run, document.at("runs_at_once").get<int>());
  } catch (const std::exception& error) {
    run.error = error_text(error);
  }
  constexpr bool ascii_only = true;  // so that printing changes nothing
  return json{{"error", run.error}, {"result", run.result}, {"doubts", run.warnings}}.dump(-1, ' ',
                                                                                           ascii_only);
}

}  // namespace starling
