#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/training/shared/training_algorithm.hpp"
#include "analysis/model/modeled_run.hpp"
#include "analysis/running/machine.hpp"

namespace starling {

struct RecurrenceScope;
class TrainingOptions;

/// What a prediction is beside a simulation of the same run.
enum class ModelValidity {
  exact,     // the same, up to rounding
  estimate,  // the same where what it takes for granted holds
  /// No worker ends an iteration later: something that costs time is left out. So no mean over all iterations
  /// from the first is longer; one between two ends may be, as the first of them may be later, too.
  lower_bound,
};

/// "exact", "estimate", "lower bound".
std::string name_of(ModelValidity validity);

/// A run predicted without events.
struct Prediction {
  IterationLog log;
  ModelValidity validity = ModelValidity::exact;
  /// What it takes for granted or leaves out, each as a clause; none if it is exact.
  std::vector<std::string> reasons = {};
  /// Whether the order of things that come at the same moment decides what follows, or who took part in what.
  bool has_ties = false;
  /// What was sent, when all had ended, and who took part in what: not all of it of SlowMo, and not of local
  /// SGD, AD-PSGD, and SGP with overlap.
  RunStatistics statistics = {};
  ParticipationLog participation;
};

/// Why there is no recurrence for an algorithm, as a clause; nothing if there is one.
std::optional<std::string> reason_without_model(const TrainingAlgorithm& algorithm);

/// How much of a run the algorithm's recurrence looks at; nothing if there is none.
RecurrenceScope recurrence_scope(const TrainingAlgorithm& algorithm);

/// Whether an algorithm draws numbers of its own that its iterations depend on: who begins, or with whom.
bool draws_numbers(const TrainingOptions& options);

/// Predicts a run by the recurrence of its algorithm, for the loads that the run's workers meet: O(messages),
/// 1 to 80 ns each, and less for rings of workers that are all alike.
///
/// Each message is taken to have its links to itself, as in the networks `fair` and `event`, which is exact
/// where that is so and a lower bound elsewhere, unless what comes first decides what follows; then the
/// prediction says so. The algorithm must have a model. With `is_to_be_exact` a recurrence may stop at the
/// first iteration that is not exact; what it returns is then incomplete.
Prediction predict(const PreparedRun& run, const ModeledNetwork& network, bool is_to_be_exact = false);

}  // namespace starling
