#include "analysis/charts/sweeps/sweep_charts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "analysis/charts/sweeps/sweep_answer.hpp"
#include "analysis/charts/sweeps/sweep_axes.hpp"
#include "analysis/charts/sweeps/sweep_winners.hpp"
#include "analysis/results/files/saved_result.hpp"
#include "analysis/studies/sweep_figures.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// The range of each job's slow-down over all combinations.
struct JobSlowdowns {
  std::vector<std::pair<std::string, Interval>> jobs = {};  // in the scenario's order

  void add(const std::string& job, double slowdown) {
    const auto known = std::ranges::find(jobs, job, &std::pair<std::string, Interval>::first);
    if (known == jobs.end()) {
      jobs.emplace_back(job, Interval{.least = slowdown, .greatest = slowdown});
      return;
    }
    known->second.least = std::min(known->second.least, slowdown);
    known->second.greatest = std::max(known->second.greatest, slowdown);
  }
};

/// Collects the content of a report in one pass over a store.
class SweepReading {
 public:
  explicit SweepReading(const SweepStore& store)
      : plan_(store.plan()),
        time_(index_of_figure("iteration_time_s")),
        speedup_(index_of_figure("speedup")),
        slowdown_(index_of_figure("slowdown")),
        competition_(plan_) {
    add_columns();
    for_each_combination(store, [this](std::int64_t combination, const std::vector<SweepRun>& runs) {
      add_combination(combination, runs);
    });
    for (std::int64_t i = 0; i < plan_.combinations(); ++i)
      if (const auto reason = plan_.filtered(i)) add_failure(i, "left out", *reason);
    store.for_each_failure(
        [this](const SweepRun& run) { add_failure(run.combination, "failed", run.error); });
    winners_ = competition_.winners();
  }

  const SweepPlan& plan() const { return plan_; }
  const std::vector<SweepWinner>& winners() const { return winners_; }
  /// The number of combinations that have a time, and the range of times.
  std::size_t combinations() const { return combinations_; }
  const Interval& times_s() const { return times_s_; }
  const JobSlowdowns& slowdowns() const { return slowdowns_; }
  bool is_of_jobs() const { return is_of_jobs_; }
  const std::string& name() const { return name_; }
  ReportTable take_table() {
    table_.drop_empty_columns();
    tell_figures_from_pointers();
    if (is_of_jobs_) std::ranges::find(table_.columns, "algorithm", &ReportColumn::name)->label = "job";
    return std::move(table_);
  }
  ReportTable take_failures() { return std::move(failures_); }

 private:
  void add_columns() {
    const std::vector<std::string> names = short_names(plan_.pointers());
    for (std::size_t i = 0; i < names.size(); ++i) table_.columns.push_back({plan_.pointers()[i], names[i]});
    failures_.columns = table_.columns;
    failures_.columns.push_back({"state", "state"});
    failures_.columns.push_back({"reason", "reason"});
    table_.columns.push_back({"algorithm", "algorithm"});
    table_.columns.push_back({"seeds", "seeds"});
    for (const SweepFigure& figure : sweep_figures()) {
      table_.columns.push_back({figure.name, figure.label, figure.unit});
      if (figure.name == "iteration_time_s") add_interval_columns("iteration_time_95", figure);
      if (figure.name == "speedup") add_interval_columns("speedup_95", figure);
    }
  }

  void add_interval_columns(const std::string& name, const SweepFigure& figure) {
    const std::string unit = figure.unit.empty() ? "" : fmt::format("_{}", figure.unit);
    table_.columns.push_back(
        {fmt::format("{}_least{}", name, unit), figure.label + ", 95 % from", figure.unit});
    table_.columns.push_back({fmt::format("{}_greatest{}", name, unit), figure.label + ", to", figure.unit});
  }

  std::vector<json> values_of(std::int64_t combination) const {
    std::vector<json> row;
    for (const json& value : plan_.values(combination)) row.emplace_back(value_text(value));
    return row;
  }

  void add_combination(std::int64_t combination, const std::vector<SweepRun>& runs) {
    if (name_.empty()) name_ = name_of_scenario(runs.front());
    is_of_jobs_ = is_of_jobs_ || runs.front().result.contains("jobs");
    bool has_time = false;
    std::size_t algorithm = 0;
    for (const SweepSummary& summary : summaries_of(runs)) {
      std::vector<json> row = values_of(combination);
      row.emplace_back(summary.algorithm);
      row.emplace_back(summary.seeds);
      add_figures(summary, blocks_of(runs.front().result).at(algorithm), row);
      table_.add_row(std::move(row));
      if (const auto& time = summary.figures[time_]) {
        has_time = true;
        add_time(time->value);
        competition_.add(combination, algorithm, found_time(summary.algorithm, *time));
      }
      if (const auto& slowdown = summary.figures[slowdown_])
        slowdowns_.add(summary.algorithm, slowdown->value);
      ++algorithm;
    }
    if (has_time) ++combinations_;
  }

  void add_time(double time_s) {
    times_s_.least = std::min(times_s_.least, time_s);
    times_s_.greatest = std::max(times_s_.greatest, time_s);
  }

  /// Adds the figures of a summary to a row. The interval of the speed-up is the one that a single run
  /// states, or that of several seeds.
  void add_figures(const SweepSummary& summary, const json& block, std::vector<json>& row) const {
    const auto own = summary.seeds == 1 ? saved_interval(block, "speedup_interval_95") : std::nullopt;
    for (std::size_t i = 0; i < summary.figures.size(); ++i) {
      const auto& figure = summary.figures[i];
      row.push_back(figure ? json(figure->value) : json());
      if (i != time_ && i != speedup_) continue;
      auto interval = figure ? interval_95_not_below_0(*figure) : std::nullopt;
      if (i == speedup_ && own) interval = own;
      row.push_back(interval ? json(interval->least) : json());
      row.push_back(interval ? json(interval->greatest) : json());
    }
  }

  static FoundTime found_time(const std::string& algorithm, const SampleEstimate& time) {
    return {.algorithm = algorithm, .mean_s = time.value, .interval_95_s = interval_95_not_below_0(time)};
  }

  void add_failure(std::int64_t combination, const char* state, const std::string& reason) {
    std::vector<json> row = values_of(combination);
    row.emplace_back(state);
    row.emplace_back(reason);
    failures_.add_row(std::move(row));
  }

  /// Resolves figures with the label of a varied pointer: one with the same values, such as workers, loses
  /// its column; one with other values, such as the workers of each job, gets a longer label.
  void tell_figures_from_pointers() {
    for (std::size_t i = table_.columns.size(); i-- > plan_.pointers().size();)
      for (std::size_t pointer = 0; pointer < plan_.pointers().size(); ++pointer) {
        if (table_.columns[i].label != table_.columns[pointer].label) continue;
        const auto is_same = [](const json& figure, const json& value) {
          return figure.is_number() && json(fmt::format("{}", figure.get<double>())) == value;
        };
        if (!std::ranges::equal(table_.values[i], table_.values[pointer], is_same))
          table_.columns[i].label += is_of_jobs_ ? " of the job" : " of the run";
        else
          table_.drop_column(i);
        break;
      }
  }

  const SweepPlan& plan_;
  std::size_t time_;
  std::size_t speedup_;
  std::size_t slowdown_;
  bool is_of_jobs_ = false;
  std::string name_;
  ReportTable table_;
  ReportTable failures_;
  SweepCompetition competition_;
  std::vector<SweepWinner> winners_;
  std::size_t combinations_ = 0;
  Interval times_s_{.least = std::numeric_limits<double>::infinity(), .greatest = 0};
  JobSlowdowns slowdowns_;
};

std::string slowdown_text(const Interval& slowdown) {
  return least_to_greatest(fmt::format("{:.3g}", slowdown.least), fmt::format("{:.3g}", slowdown.greatest));
}

/// The answer for a sweep of several jobs. As jobs do different work, none of them is the fastest.
std::vector<std::string> answer_of_job_sweep(const SweepReading& reading) {
  std::vector<std::string> ranges;
  for (const auto& [job, slowdown] : reading.slowdowns().jobs)
    ranges.push_back(fmt::format("{} {}", job, slowdown_text(slowdown)));
  if (ranges.empty()) return {"How much the jobs slow each other down is unknown."};
  return {fmt::format("Slow-down by the other jobs (iteration time over that alone), of {}: {}.",
                      counted(reading.combinations(), "combination"), fmt::join(ranges, ", "))};
}

/// The answer for a sweep of algorithms: the winners, or, if no algorithms compete, the range of iteration
/// times.
std::vector<std::string> answer_of_algorithms(const SweepReading& reading, const json& dimensions) {
  if (!reading.winners().empty()) return answer_of(reading.plan(), dimensions, reading.winners());
  const Interval& times_s = reading.times_s();
  return {fmt::format("An iteration takes {}, of {}.",
                      least_to_greatest(time_text(times_s.least), time_text(times_s.greatest)),
                      counted(reading.combinations(), "combination"))};
}

std::string question_of(const SweepReading& reading) {
  const std::vector<std::string> names = short_names(reading.plan().pointers());
  if (reading.is_of_jobs())
    return names.empty()
               ? "How much do jobs on one network slow each other down?"
               : fmt::format("How much do jobs on one network slow each other down, depending on {}?",
                             fmt::join(names, ", "));
  return fmt::format("How long does an iteration take{}{}?",
                     reading.winners().empty() ? "" : ", and which algorithm is fastest",
                     names.empty() ? "" : fmt::format(", depending on {}", fmt::join(names, ", ")));
}

/// A sentence on the runs that have not ended yet; empty if there are none.
std::string unfinished_text(const SweepStore& store) {
  const std::int64_t wanted = planned(store.plan(), {}).done;
  if (store.points() >= wanted) return "";
  return fmt::format(
      "Unfinished, or one part of a sweep: {} of its {} runs have ended; the others are missing here.",
      store.points(), wanted);
}

}  // namespace

Report sweep_report(const SweepStore& store) {
  SweepReading reading(store);
  store.refuse_if_none_has_ended();
  if (reading.combinations() == 0)
    throw ScenarioError({store.path().string(), "", "no run of this sweep has succeeded", "",
                         "a sweep with results; sweep_failed.csv says what went wrong"});
  Report report{.title = reading.name(),
                .question = question_of(reading),
                .answer = {},
                .facts = {{"combinations", fmt::format("{}", store.plan().combinations())},
                          {"seeds", fmt::format("{}", store.plan().seeds())},
                          {"runs", fmt::format("{}", store.points())},
                          {"written by", fmt::format("starling {}", version())}}};
  ReportChart curves{.id = "curves",
                     .kind = "curves",
                     .title = "Curves over the varied values",
                     .note = "Means over seeds, with their 95 % intervals where there are some.",
                     .table = reading.take_table()};
  curves.options = sweep_axes(store.plan(), curves.table);
  report.answer = reading.is_of_jobs() ? answer_of_job_sweep(reading)
                                       : answer_of_algorithms(reading, curves.options.at("dimensions"));
  if (const std::string text = unfinished_text(store); !text.empty()) report.answer.push_back(text);
  report.charts.push_back(std::move(curves));
  report.charts.push_back(explorer_of(report.charts.front(), "All combinations: filter, sort, choose axes"));
  report.charts.back().note = fmt::format("A point is {} in one combination, as the mean over its seeds.",
                                          reading.is_of_jobs() ? "a job" : "an algorithm");
  if (ReportTable failures = reading.take_failures(); failures.rows() > 0)
    report.charts.push_back({.id = "failures",
                             .kind = "table",
                             .title = "Failed runs, and combinations that were left out",
                             .table = std::move(failures)});
  return report;
}

}  // namespace starling
