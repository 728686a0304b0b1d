#pragma once

#include <vector>

#include "analysis/reproduction/reproduction.hpp"

namespace starling {

/// Sets for every compared entry the interval in which the published value should lie with probability 0.9:
/// prediction / f to prediction · f, where f follows from the errors of predictions of other tasks (a task is
/// a model on a cluster) that no profile was fitted to (PredictionErrors). So an interval does not depend on
/// its own task, and covers the errors that sampling, profiles and the model make in predictions of unknown
/// tasks. For entries whose value is unknown, by which no interval can be judged, the errors of their own
/// task count, too. Entries with fewer than nine others get none. O(n² log n) for n entries.
void add_intervals(std::vector<EntryOutcome>& outcomes);

/// The number of entries that calibrate nothing and have a published value and an interval, and how many of
/// these values lie inside.
struct Coverage {
  int with_interval = 0;
  int inside = 0;
};
Coverage coverage_of_predictions(const std::vector<EntryOutcome>& outcomes);

}  // namespace starling
