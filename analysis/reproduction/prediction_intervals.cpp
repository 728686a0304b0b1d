#include "analysis/reproduction/prediction_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace starling {
namespace {

constexpr double confidence = 0.9;

/// A model on a cluster; a benchmark without one is a task of its own.
std::pair<std::string, std::string> task_of(const EntryOutcome& outcome) {
  const auto model = outcome.entry->workload.find("model");
  const bool is_named = model != outcome.entry->workload.end() && model->is_string();
  return {outcome.entry->cluster, is_named ? model->get<std::string>() : ""};
}

double score_of(const EntryOutcome& outcome) {
  return std::abs(std::log(*outcome.predicted / *outcome.entry->value));
}

/// Published values that are not positive have no ratio to their prediction.
bool has_score(const EntryOutcome& outcome) {
  return outcome.status == EntryStatus::compared && *outcome.predicted > 0 && *outcome.entry->value > 0;
}

bool is_prediction(const EntryOutcome& outcome) { return has_score(outcome) && !outcome.is_calibration; }

/// The least score that at least `confidence` of the scores and one yet unknown are expected not to exceed.
std::optional<double> conformal_quantile(std::vector<double> scores) {
  const double rank = std::ceil(static_cast<double>(scores.size() + 1) * confidence);
  if (rank > static_cast<double>(scores.size())) return std::nullopt;
  std::ranges::sort(scores);
  return scores[static_cast<std::size_t>(rank) - 1];
}

}  // namespace

void add_intervals(std::vector<EntryOutcome>& outcomes) {
  for (EntryOutcome& outcome : outcomes) {
    if (!has_score(outcome)) continue;
    std::vector<double> scores;
    for (const EntryOutcome& other : outcomes)
      if (is_prediction(other) && task_of(other) != task_of(outcome)) scores.push_back(score_of(other));
    if (const auto score = conformal_quantile(std::move(scores)))
      outcome.interval_90 = Interval{.least = *outcome.predicted / std::exp(*score),
                                     .greatest = *outcome.predicted * std::exp(*score)};
  }
}

Coverage coverage_of_predictions(const std::vector<EntryOutcome>& outcomes) {
  Coverage coverage;
  for (const EntryOutcome& outcome : outcomes) {
    if (outcome.is_calibration || !outcome.interval_90) continue;
    ++coverage.with_interval;
    if (outcome.is_inside()) ++coverage.inside;
  }
  return coverage;
}

}  // namespace starling
