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

/// How a prediction relates to a simulation of the same run.
enum class ModelValidity {
  exact,     // equal, up to rounding
  estimate,  // equal where its assumptions hold
  /// In the prediction no worker ends an iteration later than in the simulation: something that costs time is
  /// left out. So no mean over all iterations from the first on is longer; a mean after a warm-up may be, as
  /// the simulated end of the warm-up may be later, too.
  lower_bound,
};

/// "exact", "estimate", "lower bound".
std::string name_of(ModelValidity validity);

/// A run predicted by a recurrence, without events.
struct Prediction {
  IterationLog log;
  ModelValidity validity = ModelValidity::exact;
  /// What the prediction assumes or leaves out, each as a clause; none if it is exact.
  std::vector<std::string> reasons = {};
  /// Whether the order of simultaneous events decides times, or who took part in what.
  bool has_ties = false;
  /// What was sent, the makespan, and who took part in what: incomplete of SlowMo, and absent of local SGD,
  /// AD-PSGD, and SGP with overlap.
  RunStatistics statistics = {};
  ParticipationLog participation;
};

/// Why an algorithm has no recurrence, as a clause; absent if it has one.
std::optional<std::string> reason_without_model(const TrainingAlgorithm& algorithm);

/// How much of a run the algorithm's recurrence covers; the default scope if it has none.
RecurrenceScope recurrence_scope(const TrainingAlgorithm& algorithm);

/// Whether an algorithm draws random numbers of its own that iteration times depend on: the initiator of
/// eager_majority, or partners of AD-PSGD in a graph.
bool draws_numbers(const TrainingOptions& options);

/// Predicts a run by the recurrence of its algorithm, under the loads of the run's workers. O(messages), 1 to
/// 80 ns each, and less for rings of workers that are all alike.
///
/// Each message is assumed to have its links to itself, with the equations of the networks `fair` and
/// `event`. That is exact where no messages meet, and a lower bound elsewhere, unless times depend on the
/// order of events: the prediction says which. The algorithm must have a recurrence. With `is_to_be_exact`
/// the recurrence may stop at the first iteration that is not exact; the prediction is then incomplete.
Prediction predict(const PreparedRun& run, const ModeledNetwork& network, bool is_to_be_exact = false);

}  // namespace starling
