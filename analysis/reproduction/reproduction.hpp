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

/// A run's figures, or what went wrong with it.
using RunOutcome = std::variant<RunFigures, std::string>;

/// Runs everything, several at once in threads of their own, the largest first; what is kept already is not
/// run. `finished` is called in the caller's thread with the number of every run that ended, and is kept
/// then. If it throws, no further run is begun.
void execute_all(const std::vector<PublishedRun>& runs, int jobs,
                 const std::function<void(std::size_t run, RunOutcome outcome)>& finished,
                 Predictor predictor = Predictor::simulation, KeptRuns* kept = nullptr);

/// A published entry beside its prediction.
struct EntryOutcome {
  const PublishedEntry* entry = nullptr;
  EntryStatus status = EntryStatus::compared;
  std::string reason;  // of one without a prediction
  std::optional<double> predicted;
  std::optional<double> relative_error;  // predicted / published − 1, where something is published
  double sampling_error = 0;             // standard error of the prediction, relative to it
  bool is_drifting = false;              // a run of it still changed at its longest, by sampling_error
  bool is_calibration = false;
  std::optional<Interval> interval_90 = {};  // of what should be published, by add_intervals()

  /// There must be an interval, and something published.
  bool is_inside() const { return interval_90->holds(*entry->value); }
};

/// How well a paper is met. Errors are absolute values of relative errors, of the entries that are compared.
struct PaperSummary {
  std::string paper;
  int compared = 0;
  int calibration = 0;  // of those compared
  std::optional<double> median_abs_error = {};
  std::optional<double> worst_abs_error = {};
  std::optional<double> median_abs_error_of_predictions = {};  // without calibration
  std::string worst_entry = {};
  std::optional<double> within_5_percent = {};  // a share, 0 … 1
  std::optional<double> within_10_percent = {};
};

/// The entries that are decided so far; `outcomes` has one place per run, empty until it ended.
std::vector<EntryOutcome> entry_outcomes(const std::vector<PublishedEntry>& entries,
                                         const ReproductionPlan& plan,
                                         const std::vector<std::optional<RunOutcome>>& outcomes);

/// By paper, in the order of their first entries.
std::vector<PaperSummary> paper_summaries(const std::vector<EntryOutcome>& outcomes);

/// "compared", "predicted", "not_comparable", "failed".
std::string_view name_of(EntryStatus status);

}  // namespace starling
