#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/reproduction/kept_runs.hpp"
#include "analysis/reproduction/reproduction_plan.hpp"
#include "analysis/statistics/estimate.hpp"

namespace starling {

/// A run's figures, or the text of its error.
using RunOutcome = std::variant<RunFigures, std::string>;

/// Executes all runs, `jobs` of them at once in threads, the largest first; runs whose figures are in `kept`
/// are not executed. `finished` is called in the caller's thread with the index of every run that has ended;
/// its figures are in `kept` by then. If it throws, no further run is begun.
void execute_all(const std::vector<PublishedRun>& runs, int jobs,
                 const std::function<void(std::size_t run, RunOutcome outcome)>& finished,
                 Predictor predictor = Predictor::simulation, KeptRuns* kept = nullptr);

/// A published entry beside its prediction.
struct EntryOutcome {
  const PublishedEntry* entry = nullptr;
  EntryStatus status = EntryStatus::compared;
  std::string reason;  // why there is no prediction; else empty
  std::optional<double> predicted;
  std::optional<double> relative_error;  // predicted / published − 1, where something is published
  double sampling_error = 0;             // standard error of the prediction, relative to it
  bool is_drifting = false;              // a run still drifted at its greatest length, by sampling_error
  bool is_calibration = false;
  std::optional<Interval> interval_90 = {};  // of the published value, by add_intervals()

  /// Whether the published value lies in the interval; there must be both.
  bool is_inside() const { return interval_90->holds(*entry->value); }
};

/// How near the predictions of a paper's entries are. Errors are absolute values of relative errors, of the
/// compared entries.
struct PaperSummary {
  std::string paper;
  int compared = 0;
  int calibration = 0;  // how many of the compared entries calibrate a profile
  std::optional<double> median_abs_error = {};
  std::optional<double> worst_abs_error = {};
  std::optional<double> median_abs_error_of_predictions = {};  // without calibration
  std::string worst_entry = {};
  std::optional<double> within_5_percent = {};  // a share, 0 … 1
  std::optional<double> within_10_percent = {};
};

/// The entries whose runs have ended, or that take none; `outcomes` has one element per run, empty until it
/// ended.
std::vector<EntryOutcome> entry_outcomes(const std::vector<PublishedEntry>& entries,
                                         const ReproductionPlan& plan,
                                         const std::vector<std::optional<RunOutcome>>& outcomes);

/// By paper, in the order of their first entries.
std::vector<PaperSummary> paper_summaries(const std::vector<EntryOutcome>& outcomes);

/// "compared", "predicted", "not_comparable", "failed".
std::string_view name_of(EntryStatus status);

}  // namespace starling
