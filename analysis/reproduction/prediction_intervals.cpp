#include "analysis/reproduction/prediction_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace starling {
namespace {

constexpr double confidence = 0.9;

/// A cluster and a model on it; a benchmark without one is a task of its own.
using Task = std::pair<std::string, std::string>;

/// Of an entry that calibrates nothing.
struct PredictionScore {
  Task task;
  double score;
};

Task task_of(const EntryOutcome& outcome) {
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

/// The least score that at least `confidence` of the scores and one yet unknown are expected not to exceed.
std::optional<double> conformal_quantile(std::vector<double> scores) {
  const double rank = std::ceil(static_cast<double>(scores.size() + 1) * confidence);
  if (rank > static_cast<double>(scores.size())) return std::nullopt;
  std::ranges::sort(scores);
  return scores[static_cast<std::size_t>(rank) - 1];
}

}  // namespace

void add_intervals(std::vector<EntryOutcome>& outcomes) {
  std::vector<PredictionScore> predictions;
  for (const EntryOutcome& outcome : outcomes)
    if (has_score(outcome) && !outcome.is_calibration)
      predictions.push_back({.task = task_of(outcome), .score = score_of(outcome)});
  for (EntryOutcome& outcome : outcomes) {
    if (!has_score(outcome)) continue;
    const Task task = task_of(outcome);
    std::vector<double> scores;
    for (const PredictionScore& other : predictions)
      if (other.task != task) scores.push_back(other.score);
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
