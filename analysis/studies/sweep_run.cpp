#include "analysis/studies/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/demand/demand.hpp"
#include "analysis/demand/shortage.hpp"
#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/explanation/run_explainer.hpp"
#include "analysis/model/exact_runs.hpp"
#include "analysis/results/files/result_json.hpp"
#include "analysis/results/files/saved_result.hpp"
#include "analysis/running/traffic_warnings.hpp"
#include "analysis/studies/refused_combinations.hpp"
#include "analysis/studies/run_in_process.hpp"
#include "analysis/studies/sweep_estimate.hpp"
#include "analysis/studies/sweep_inputs.hpp"
#include "analysis/uncertainty/ties.hpp"
#include "base/task_threads.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/text_table.hpp"
#include "scenarios/reading/scenario_hash.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// A run that has ended, or needs none.
struct Ended {
  SweepRun run;
  bool is_known = false;  // and has nothing but its hash then
  std::vector<std::string> warnings = {};
};

bool is_of_shard(std::int64_t combination, const SweepOptions& options) {
  return combination % options.shards == options.shard - 1;
}

/// Of a sweep of batch sizes whose times are in proportion to them.
void add_doubt_of_batches(const SweepPlan& plan, const Scenario& scenario, Ended& ended) {
  const std::vector<std::string>& varied = plan.pointers();
  if (std::ranges::find(varied, "/workload/batch_size") == varied.end()) return;
  if (scenario.as_read.at("workload").at("compute").contains("throughput"))
    ended.warnings.push_back(
        "/workload/batch_size varies, and with workload.compute.throughput computing times are in proportion "
        "to it: what does not shrink with the batch is not known; give \"batches\" that were measured");
}

void add_doubts(SweepRun& run, DoubtKind kind, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) run.doubts.push_back({kind, sentence});
}

/// Adds what can be said of a run before it begins. Traffic is the same with every seed, and told only where
/// it takes no run of its own to find out.
void find_doubts(const ScenarioJob& job, SweepRun& run) {
  add_doubts(run, DoubtKind::partial_periods, job.partial_periods());
  if (run.replication == 0)
    add_doubts(run, DoubtKind::uneven_traffic, traffic_warnings(job, TrafficLookedAt::of_collectives));
}

/// Of whatever has not settled, which a result knows.
std::vector<std::string> drifts_of(const nlohmann::json& result) {
  std::vector<std::string> sentences;
  for (const nlohmann::json& block : blocks_of(result))
    if (const auto drift_s = block.find("drift_s"); drift_s != block.end())
      sentences.push_back(fmt::format(
          "{}: iterations still change while they are counted, from {} to {}: the mean is of no "
          "settled state; count more, and later (/warmup_iterations)",
          label_of(block), time_text(drift_s->at(0).get<double>()), time_text(drift_s->at(1).get<double>())));
  return sentences;
}

/// Who refuse what this machine cannot do, so many times at once, and add to what is to be said of the run.
RunObservers observers_of(const Scenario& scenario, SweepRun& run, int runs_at_once) {
  RunObservers observers;
  observers.job_made = [&run, runs_at_once](const ScenarioJob& job) {
    const RunExplainer explainer;
    refuse_shortage(job, supply_of_machine(std::nullopt, runs_at_once), Forcing::impossible,
                    {.explainer = &explainer});
    find_doubts(job, run);
  };
  observers.jobs_made = [&scenario, runs_at_once](const JobDemand& demand) {
    refuse_shortage(scenario, demand, supply_of_machine(std::nullopt, runs_at_once), Forcing::impossible);
  };
  if (!scenario.jobs.empty() && run.replication == 0)
    observers.warned_of_traffic = [&run](const std::string& sentence) {
      add_doubts(run, DoubtKind::uneven_traffic, {sentence});
    };
  return observers;
}

/// Fills the result, and what is to be said of it, in this process.
void simulate_here(const Scenario& scenario, SweepRun& run, int runs_at_once) {
  const Result result = simulate_and_explain(scenario, observers_of(scenario, run, runs_at_once));
  run.result = result_json(result);
  add_doubts(run, DoubtKind::decided_by_ties, tie_warnings(scenario, result));
}

/// What make_limited_run() is told.
json task_of(const ScenarioDocument& document, const SweepRun& run, int runs_at_once) {
  json changes = json::array();
  for (const Override& change : document.changes)
    changes.push_back(json::array({change.given_by, change.option}));
  return {{"file", document.file.string()}, {"folder", document.folder.string()},
          {"place", document.place},        {"scenario", document.json},
          {"changes", std::move(changes)},  {"replication", run.replication},
          {"runs_at_once", runs_at_once}};
}

/// The scenario of such a task, which its changes have been applied to.
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

/// What make_limited_run() answers: error, result and doubts.
json answer_of(const SweepRun& run) {
  json doubts = json::array();
  for (const Doubt& doubt : run.doubts)
    doubts.push_back(json::array({static_cast<int>(doubt.kind), doubt.sentence}));
  return {{"error", run.error}, {"result", run.result}, {"doubts", std::move(doubts)}};
}

void take_answer(const json& answer, SweepRun& run) {
  run.error = answer.at("error").get<std::string>();
  run.result = answer.at("result");
  for (const json& doubt : answer.at("doubts"))
    run.doubts.push_back(
        {.kind = static_cast<DoubtKind>(doubt.at(0).get<int>()), .sentence = doubt.at(1).get<std::string>()});
}

/// Fills the result, and what is to be said of it; the error where another process has found one.
void simulate(const ScenarioDocument& document, const Scenario& scenario, SweepRun& run, int runs_at_once,
              const std::optional<RunLimit>& limit) {
  if (limit) {
    take_answer(answer_within(task_of(document, run, runs_at_once), *limit), run);
    if (!run.is_done()) return;
  } else if (scenario.engine == Engine::simgrid) {
    // The other process does not know of those beside it.
    if (scenario.jobs.empty()) observers_of(scenario, run, runs_at_once).job_made(ScenarioJob(scenario));
    run.result = simulate_in_process(document, scenario.name);
  } else {
    simulate_here(scenario, run, runs_at_once);
  }
  run.result.erase("simulation");
  add_doubts(run, DoubtKind::unsettled, drifts_of(run.result));
}

struct SweepTask {
  std::int64_t combination;
  int replication;
};

/// Carries out runs; so many threads may use one at the same time.
class Executor {
 public:
  /// `inputs`: what was read for runs that are known.
  Executor(const SweepPlan& plan, std::unordered_set<std::string> known,
           const std::vector<InputContent>& inputs, int threads, std::optional<RunLimit> limit = {})
      : plan_(plan), known_(std::move(known)), inputs_(inputs), threads_(threads), limit_(std::move(limit)) {}

  /// What run that is known a point is; none also where its scenario cannot be read.
  std::optional<SweepPoint> known_point(const SweepTask& task) {
    try {
      const Scenario scenario = read_scenario(plan_.document(task.combination, task.replication));
      std::string hash = ScenarioHash::of(scenario, inputs_.of(scenario));
      if (known_.contains(hash)) return SweepPoint{task.combination, task.replication, std::move(hash)};
    } catch (const std::exception&) {
      // Its run will say so.
    }
    return std::nullopt;
  }

  Ended execute(const SweepTask& task) {
    const auto start = std::chrono::steady_clock::now();
    Ended ended;
    ended.run.combination = task.combination;
    ended.run.replication = task.replication;
    std::string text;
    try {
      const ScenarioDocument document = plan_.document(task.combination, task.replication);
      text = document.json.dump();
      const Scenario scenario = read_scenario(document);
      ended.warnings = scenario.warnings;
      add_doubt_of_batches(plan_, scenario, ended);
      if (scenario.transport_reason != "given" && scenario.cluster.workers > 1)
        ended.run.taken_transport = scenario.transport;
      ended.run.inputs = inputs_.of(scenario);
      ended.run.scenario_hash = ScenarioHash::of(scenario, ended.run.inputs);
      ended.is_known = known_.contains(ended.run.scenario_hash);
      if (!ended.is_known) simulate(document, scenario, ended.run, threads_, limit_);
      // Another process has read the files once more.
      if (!ended.is_known && (limit_ || scenario.engine == Engine::simgrid)) (void)inputs_.of(scenario);
    } catch (const std::exception& error) {
      ended.run.error = error_text(error);
      if (ended.run.scenario_hash.empty())
        ended.run.scenario_hash = ScenarioHash::of(fmt::format("{}\n{}", ended.run.error, text));
    }
    ended.run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return ended;
  }

 private:
  const SweepPlan& plan_;
  std::unordered_set<std::string> known_;
  SweepInputs inputs_;
  int threads_;
  std::optional<RunLimit> limit_;
};

/// Those of a shard that are not filtered out.
CombinationSource combinations_of(const SweepPlan& plan, const SweepOptions& options) {
  return [&plan, options, next = std::int64_t{0}]() mutable -> std::optional<std::int64_t> {
    while (next < plan.combinations() && (!is_of_shard(next, options) || plan.filtered(next))) ++next;
    return next < plan.combinations() ? std::optional(next++) : std::nullopt;
  };
}

/// Each combination with every seed.
std::function<std::optional<SweepTask>()> tasks_of(CombinationSource source, int seeds) {
  const std::optional<std::int64_t> first = source();
  return [source = std::move(source), seeds, combination = first,
          replication = 0]() mutable -> std::optional<SweepTask> {
    if (!combination) return std::nullopt;
    const SweepTask task{*combination, replication};
    if (++replication == seeds) {
      replication = 0;
      combination = source();
    }
    return task;
  };
}

/// Keeps what has ended, and tells of it.
class Keeper {
 public:
  Keeper(SweepStore& store, const SweepObservers& observers) : store_(store), observers_(observers) {}

  void keep(Ended& ended) {
    for (const std::string& warning : ended.warnings) warn(warning);
    const std::string transport = ended.run.taken_transport;
    if (!transport.empty()) transports_.insert(transport);
    if (transports_.size() > 1)
      warn(
          "cluster.transport is not given, and follows from the network: it is not the same in all "
          "combinations (nccl_ib where hosts are less than 10 us apart, nccl_tcp from there on); one that is "
          "given stays");
    if (ended.is_known || !store_.add(ended.run)) {
      ended.run = store_.reuse({.combination = ended.run.combination,
                                .replication = ended.run.replication,
                                .scenario_hash = ended.run.scenario_hash});
      ended.run.taken_transport = transport;
      if (ended.run.made_by != build())
        warn(
            "runs are reused that another build of this version of starling made, which may compute "
            "something else; in a new folder all are made anew");
    }
    if (observers_.doubted)
      for (const Doubt& doubt : ended.run.doubts) observers_.doubted(ended.run, doubt);
    if (ended.is_known)
      ++counts_.reused;
    else
      count(ended.run);
    if (observers_.run_ended) observers_.run_ended(ended.run, ended.is_known);
  }

  SweepCounts counts() const { return counts_; }

 private:
  /// A scenario that several combinations have is done as soon as it is with one of them.
  void count(const SweepRun& run) {
    if (!run.is_done()) {
      failed_.insert(run.scenario_hash);
      ++counts_.failed;
      return;
    }
    const auto failed_before = static_cast<std::int64_t>(failed_.erase(run.scenario_hash));
    counts_.failed -= failed_before;
    counts_.done += 1 + failed_before;
  }

  void warn(const std::string& warning) {
    if (observers_.warned && warnings_.insert(warning).second) observers_.warned(warning);
  }

  SweepStore& store_;
  const SweepObservers& observers_;
  std::set<std::string> warnings_;
  std::set<std::string> transports_;
  std::multiset<std::string> failed_;  // scenarios, by their hashes
  SweepCounts counts_;
};

SweepCounts run_and_keep(const SweepPlan& plan, CombinationSource source, SweepStore& store, int jobs,
                         const SweepObservers& observers, const std::optional<RunLimit>& limit) {
  const std::int64_t runs = plan.combinations() * plan.seeds();
  Executor executor(plan, store.hashes(), store.inputs(),
                    static_cast<int>(std::clamp<std::int64_t>(runs, 1, jobs)), limit);
  Keeper keeper(store, observers);
  TaskThreads<SweepTask, Ended> threads(
      jobs, tasks_of(std::move(source), plan.seeds()),
      [&executor](const SweepTask& task) { return executor.execute(task); });
  while (auto ended = threads.take()) keeper.keep(*ended);
  return keeper.counts();
}

/// Some combinations of a shard that has so many.
std::vector<std::int64_t> sampled(const SweepPlan& plan, const SweepOptions& options, std::int64_t count,
                                  std::int64_t most) {
  std::vector<std::int64_t> chosen;
  const CombinationSource source = combinations_of(plan, options);
  std::int64_t next = 0;
  for (const std::int64_t number : spread_over(count, most)) {
    while (next < number && source()) ++next;
    if (const auto combination = source()) chosen.push_back(*combination);
    ++next;
  }
  return chosen;
}

/// About what a run of it takes; 0 of several jobs, and where it cannot be run.
double usual_time_s(const SweepPlan& plan, std::int64_t combination) {
  try {
    const Scenario scenario = read_scenario(plan.document(combination, 0));
    if (!scenario.jobs.empty()) return 0;
    const ExactRuns exact_runs;
    return demand_of(ScenarioJob(scenario), {.evaluator = &exact_runs}).usual.time_s;
  } catch (const std::exception&) {
    return 0;
  }
}

/// What is there of a shard.
std::vector<SweepPoint> known_points(const SweepPlan& plan, const SweepStore& store,
                                     const SweepOptions& options) {
  Executor executor(plan, store.hashes(), {}, 1);
  TaskThreads<SweepTask, std::optional<SweepPoint>> threads(
      options.jobs, tasks_of(combinations_of(plan, options), plan.seeds()),
      [&executor](const SweepTask& task) { return executor.known_point(task); });
  std::vector<SweepPoint> points;
  while (auto point = threads.take())
    if (*point) points.push_back(std::move(**point));
  return points;
}

/// Makes the plan the store's: what was found of it is never out of sight, even if this sweep is interrupted.
void take_plan(const SweepPlan& plan, SweepStore& store, const SweepOptions& options,
               const SweepObservers& observers) {
  const bool has_changed = tell_changed_input(store, observers);
  if (!has_changed && store.has_plan(plan)) return;
  const bool has_runs = !store.hashes().empty();
  store.set_plan(plan, has_runs ? known_points(plan, store, options) : std::vector<SweepPoint>());
}

}  // namespace

bool tell_changed_input(const SweepStore& store, const SweepObservers& observers) {
  const std::optional<std::string> changed = changed_input(store.inputs());
  if (changed && observers.warned)
    observers.warned(fmt::format(
        "{} has changed since runs that are here were made of it: these are not reused", *changed));
  return changed.has_value();
}

SweepCounts run_sweep(const SweepPlan& plan, SweepStore& store, const SweepOptions& options,
                      const SweepObservers& observers) {
  take_plan(plan, store, options, observers);
  std::int64_t skipped = 0;
  for (std::int64_t i = 0; i < plan.combinations(); ++i) {
    const auto reason = is_of_shard(i, options) ? plan.filtered(i) : std::nullopt;
    if (!reason) continue;
    ++skipped;
    if (observers.combination_skipped) observers.combination_skipped(i, *reason);
  }
  SweepCounts counts =
      run_and_keep(plan, combinations_of(plan, options), store, options.jobs, observers, options.run_limit);
  counts.skipped_combinations = skipped;
  return counts;
}

SweepCounts run_combinations(const SweepPlan& plan, std::span<const std::int64_t> combinations,
                             SweepStore& store, int jobs, const SweepObservers& observers,
                             const std::optional<RunLimit>& run_limit) {
  return run_and_keep(plan, one_by_one(combinations), store, jobs, observers, run_limit);
}

std::string make_limited_run(const std::string& task) {
  const json told = json::parse(task);
  SweepRun run;
  run.replication = told.at("replication").get<int>();
  try {
    simulate_here(read_scenario(document_in(told)), run, told.at("runs_at_once").get<int>());
  } catch (const std::exception& error) {
    run.error = error_text(error);
  }
  constexpr bool ascii_only = true;  // so that nothing is changed where it is printed
  return answer_of(run).dump(-1, ' ', ascii_only);
}

void check_sweep(const SweepPlan& plan, const SweepOptions& options) {
  if (const auto readable = first_readable(plan, combinations_of(plan, options)))
    refuse_values_of_none(plan, *readable);
}

SweepCounts planned(const SweepPlan& plan, const SweepOptions& options) {
  SweepCounts counts;
  for (std::int64_t i = 0; i < plan.combinations(); ++i) {
    if (!is_of_shard(i, options)) continue;
    if (plan.filtered(i))
      ++counts.skipped_combinations;
    else
      counts.done += plan.seeds();
  }
  return counts;
}

double time_of_runs_s(const SweepPlan& plan, const SweepOptions& options) {
  constexpr std::int64_t most_looked_at = 64;
  constexpr double longest_measured_s = 60;
  const std::int64_t runs = planned(plan, options).done;
  const std::vector<std::int64_t> combinations = sampled(plan, options, runs / plan.seeds(), most_looked_at);
  std::vector<SampledRun> samples;
  for (const std::int64_t combination : combinations)
    samples.push_back({.usual_s = usual_time_s(plan, combination)});
  Executor executor(plan, {}, {}, 1, options.run_limit);
  for (const std::size_t number : to_measure(samples, longest_measured_s))
    samples[number].measured_s = executor.execute({combinations[number], 0}).run.wall_s;
  return static_cast<double>(runs) * mean_time_s(samples);
}

}  // namespace starling
