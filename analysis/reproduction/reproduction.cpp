#include "analysis/reproduction/reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "analysis/statistics/estimate.hpp"
#include "base/task_threads.hpp"

namespace starling {

namespace {

RunOutcome outcome_of(const PublishedRun& run, Predictor predictor) {
  try {
    return execute(run, predictor);
  } catch (const std::exception& error) {
    return std::string(error.what());
  }
}

/// Sorts the largest first, so that no long run is left alone at the end.
void sort_by_size(std::vector<std::size_t>& order, const std::vector<PublishedRun>& runs) {
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t run) { return size_of(runs[run]); });
}

/// Sets the prediction from the runs' figures, or the failure. False while the outcome of a run is missing.
bool predict(const EntryPlan& plan, const std::vector<std::optional<RunOutcome>>& outcomes,
             EntryOutcome& entry) {
  std::vector<RunFigures> figures;
  double squared_error = 0;
  for (const std::size_t run : plan.runs) {
    if (!outcomes[run]) return false;
    if (const auto* problem = std::get_if<std::string>(&*outcomes[run])) {
      entry.status = EntryStatus::failed;
      entry.reason = *problem;
      return true;
    }
    figures.push_back(std::get<RunFigures>(*outcomes[run]));
    squared_error += figures.back().relative_error * figures.back().relative_error;
    entry.is_drifting = entry.is_drifting || figures.back().is_drifting;
  }
  const double predicted = plan.predict(figures);
  if (!std::isfinite(predicted)) {
    entry.status = EntryStatus::failed;
    entry.reason = "the predicted iteration time is 0, so the metric is not finite";
    return true;
  }
  entry.predicted = predicted;
  if (const auto& published = entry.entry->value)
    entry.relative_error = predicted / *published - 1;
  else
    entry.status = EntryStatus::predicted;
  entry.sampling_error = std::sqrt(squared_error);
  return true;
}

std::optional<double> median(std::vector<double> values) {
  return values.empty() ? std::nullopt : std::optional(median_of(std::move(values)));
}

PaperSummary summary_of(const std::string& paper, const std::vector<EntryOutcome>& outcomes) {
  PaperSummary summary{.paper = paper};
  std::vector<double> errors;
  std::vector<double> errors_of_predictions;
  for (const EntryOutcome& outcome : outcomes) {
    if (outcome.entry->paper != paper || outcome.status != EntryStatus::compared) continue;
    const double error = std::abs(*outcome.relative_error);
    if (errors.empty() || error > *summary.worst_abs_error) {
      summary.worst_abs_error = error;
      summary.worst_entry = outcome.entry->id;
    }
    errors.push_back(error);
    if (outcome.is_calibration)
      ++summary.calibration;
    else
      errors_of_predictions.push_back(error);
  }
  summary.compared = static_cast<int>(errors.size());
  if (errors.empty()) return summary;
  const auto share_within = [&](double bound) {
    const auto within =
        std::count_if(errors.begin(), errors.end(), [&](double error) { return error <= bound; });
    return static_cast<double>(within) / static_cast<double>(errors.size());
  };
  summary.within_5_percent = share_within(0.05);
  summary.within_10_percent = share_within(0.10);
  summary.median_abs_error = median(std::move(errors));
  summary.median_abs_error_of_predictions = median(std::move(errors_of_predictions));
  return summary;
}

}  // namespace

void execute_all(const std::vector<PublishedRun>& runs, int jobs,
                 const std::function<void(std::size_t run, RunOutcome outcome)>& finished,
                 Predictor predictor, KeptRuns* kept) {
  std::vector<std::size_t> to_run;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (const auto figures = kept != nullptr ? kept->find(runs[run]) : std::nullopt)
      finished(run, *figures);
    else
      to_run.push_back(run);
  }
  sort_by_size(to_run, runs);
  using Finished = std::pair<std::size_t, RunOutcome>;
  TaskThreads<std::size_t, Finished> threads(
      jobs, one_by_one(std::span<const std::size_t>(to_run)),
      [&](std::size_t run) { return Finished(run, outcome_of(runs[run], predictor)); });
  while (auto one = threads.take()) {
    auto& [run, outcome] = *one;
    if (const auto* figures = std::get_if<RunFigures>(&outcome); figures != nullptr && kept != nullptr)
      kept->keep(runs[run], *figures);
    finished(run, std::move(outcome));
  }
}

std::vector<EntryOutcome> entry_outcomes(const std::vector<PublishedEntry>& entries,
                                         const ReproductionPlan& plan,
                                         const std::vector<std::optional<RunOutcome>>& outcomes) {
  std::vector<EntryOutcome> decided;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const EntryPlan& entry = plan.entries[i];
    EntryOutcome outcome{.entry = &entries[i],
                         .status = entry.status,
                         .reason = entry.reason,
                         .predicted = {},
                         .relative_error = {},
                         .is_calibration = entry.is_calibration};
    if (entry.status == EntryStatus::compared && !predict(entry, outcomes, outcome)) continue;
    decided.push_back(std::move(outcome));
  }
  return decided;
}

std::vector<PaperSummary> paper_summaries(const std::vector<EntryOutcome>& outcomes) {
  std::vector<PaperSummary> summaries;
  for (const EntryOutcome& outcome : outcomes) {
    const std::string& paper = outcome.entry->paper;
    const bool is_known = std::any_of(summaries.begin(), summaries.end(),
                                      [&](const PaperSummary& summary) { return summary.paper == paper; });
    if (!is_known) summaries.push_back(summary_of(paper, outcomes));
  }
  return summaries;
}

std::string_view name_of(EntryStatus status) {
  switch (status) {
    case EntryStatus::compared:
      return "compared";
    case EntryStatus::predicted:
      return "predicted";
    case EntryStatus::not_comparable:
      return "not_comparable";
    case EntryStatus::failed:
      break;
  }
  return "failed";
}

}  // namespace starling
