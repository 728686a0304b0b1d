#include "analysis/reproduction/prediction_intervals.hpp"

#include <fmt/format.h>

#include <string>

#include "analysis/statistics/conformal.hpp"

namespace starling {
namespace {

/// The task of an entry: its model on its cluster, or the benchmarks without a model on that cluster.
std::string task_of(const EntryOutcome& outcome) {
  const auto model = outcome.entry->workload.find("model");
  const bool is_named = model != outcome.entry->workload.end() && model->is_string();
  return fmt::format("{} on {}", is_named ? model->get<std::string>() : "", outcome.entry->cluster);
}

/// Whether published value and prediction are both positive, so that they have a ratio.
bool has_ratio(const EntryOutcome& outcome) {
  return outcome.status == EntryStatus::compared && *outcome.predicted > 0 && *outcome.entry->value > 0;
}

}  // namespace

void add_intervals(std::vector<EntryOutcome>& outcomes) {
  PredictionErrors errors;
  for (const EntryOutcome& outcome : outcomes)
    if (has_ratio(outcome) && !outcome.is_calibration)
      errors.add(task_of(outcome), *outcome.predicted, *outcome.entry->value);
  for (EntryOutcome& outcome : outcomes) {
    if (has_ratio(outcome)) outcome.interval_90 = errors.interval_of(task_of(outcome), *outcome.predicted);
    if (outcome.status == EntryStatus::predicted)
      outcome.interval_90 = errors.interval_of(*outcome.predicted);
  }
}

Coverage coverage_of_predictions(const std::vector<EntryOutcome>& outcomes) {
  Coverage coverage;
  for (const EntryOutcome& outcome : outcomes) {
    if (outcome.is_calibration || !outcome.interval_90 || !outcome.entry->value) continue;
    ++coverage.with_interval;
    if (outcome.is_inside()) ++coverage.inside;
  }
  return coverage;
}

}  // namespace starling
