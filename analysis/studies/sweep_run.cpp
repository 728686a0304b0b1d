#include "analysis/studies/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/studies/refused_combinations.hpp"
#include "analysis/studies/sweep_executor.hpp"
#include "analysis/studies/sweep_inputs.hpp"
#include "base/task_threads.hpp"

namespace starling {
namespace {

bool is_of_shard(std::int64_t combination, const SweepOptions& options) {
  return combination % options.shards == options.shard - 1;
}

/// A source of one task for each seed of each combination.
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

/// Adds runs that have ended to the store, calls the observers, and counts.
class RunRecorder {
 public:
  RunRecorder(SweepStore& store, const SweepObservers& observers) : store_(store), observers_(observers) {}

  void record(EndedRun& ended) {
    for (const std::string& warning : ended.warnings) warn(warning);
    const std::string transport = ended.run.taken_transport;
    if (!transport.empty()) transports_.insert(transport);
    if (transports_.size() > 1)
      warn(
          "cluster.transport is not given, and the network's latencies determine it, differently in some "
          "combinations (nccl_ib below 10 us between hosts, otherwise nccl_tcp); give it to have "
          "the same in all combinations");
    if (ended.is_known || !store_.add(ended.run)) {
      ended.run = store_.reuse({.combination = ended.run.combination,
                                .replication = ended.run.replication,
                                .scenario_hash = ended.run.scenario_hash});
      ended.run.taken_transport = transport;
      if (ended.run.made_by != build())
        warn(
            "runs of another build of this version of starling, whose results may differ, are reused; with a "
            "new folder all runs are repeated");
    }
    if (observers_.warned_of_run)
      for (const RunWarning& warning : ended.run.warnings) observers_.warned_of_run(ended.run, warning);
    if (ended.is_known)
      ++counts_.reused;
    else
      count(ended.run);
    if (observers_.run_ended) observers_.run_ended(ended.run, ended.is_known);
  }

  SweepCounts counts() const { return counts_; }

 private:
  /// Combinations may share a scenario: if a run succeeds after others failed, all count as done.
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
  std::multiset<std::string> failed_;  // hashes of the scenarios of failed runs
  SweepCounts counts_;
};

SweepCounts run_and_record(const SweepPlan& plan, CombinationSource source, SweepStore& store, int jobs,
                           const SweepObservers& observers, const std::optional<RunLimit>& limit) {
  const std::int64_t runs = plan.combinations() * plan.seeds();
  SweepExecutor executor(plan, store.hashes(), store.inputs(),
                         static_cast<int>(std::clamp<std::int64_t>(runs, 1, jobs)), limit);
  RunRecorder recorder(store, observers);
  TaskThreads<SweepTask, EndedRun> threads(
      jobs, tasks_of(std::move(source), plan.seeds()),
      [&executor](const SweepTask& task) { return executor.execute(task); });
  while (auto ended = threads.take()) recorder.record(*ended);
  return recorder.counts();
}

/// The points of a shard whose runs the store has.
std::vector<SweepPoint> known_points(const SweepPlan& plan, const SweepStore& store,
                                     const SweepOptions& options) {
  SweepExecutor executor(plan, store.hashes(), {}, 1);
  TaskThreads<SweepTask, std::optional<SweepPoint>> threads(
      options.jobs, tasks_of(combinations_of(plan, options), plan.seeds()),
      [&executor](const SweepTask& task) { return executor.known_point(task); });
  std::vector<SweepPoint> points;
  while (auto point = threads.take())
    if (*point) points.push_back(std::move(**point));
  return points;
}

/// Makes this plan the store's, unless it is already. Runs of the plan that the store has become its points
/// at once, so that they are not lost from tables if this sweep is interrupted.
void take_plan(const SweepPlan& plan, SweepStore& store, const SweepOptions& options,
               const SweepObservers& observers) {
  const bool has_changed = warn_of_changed_inputs(store, observers);
  if (!has_changed && store.has_plan(plan)) return;
  const bool has_runs = !store.hashes().empty();
  store.set_plan(plan, has_runs ? known_points(plan, store, options) : std::vector<SweepPoint>());
}

}  // namespace

CombinationSource combinations_of(const SweepPlan& plan, const SweepOptions& options) {
  return [&plan, options, next = std::int64_t{0}]() mutable -> std::optional<std::int64_t> {
    while (next < plan.combinations() && (!is_of_shard(next, options) || plan.filtered(next))) ++next;
    return next < plan.combinations() ? std::optional(next++) : std::nullopt;
  };
}

bool warn_of_changed_inputs(const SweepStore& store, const SweepObservers& observers) {
  const std::optional<std::string> changed = changed_input(store.inputs());
  if (changed && observers.warned)
    observers.warned(
        fmt::format("{} has changed since runs in this folder used it: these runs are not reused", *changed));
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
      run_and_record(plan, combinations_of(plan, options), store, options.jobs, observers, options.run_limit);
  counts.skipped_combinations = skipped;
  return counts;
}

SweepCounts run_combinations(const SweepPlan& plan, std::span<const std::int64_t> combinations,
                             SweepStore& store, int jobs, const SweepObservers& observers,
                             const std::optional<RunLimit>& run_limit) {
  return run_and_record(plan, one_by_one(combinations), store, jobs, observers, run_limit);
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

}  // namespace starling
