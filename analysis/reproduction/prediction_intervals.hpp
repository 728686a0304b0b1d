#pragma once

#include <vector>

#include "analysis/reproduction/reproduction.hpp"

namespace starling {

/// Gives every compared entry the interval in which what is published should lie with probability 0.9:
/// prediction / f to prediction · f, f from how far the predictions of other tasks (a model on a cluster) are
/// off that no profile was fitted to (PredictionErrors). So an interval knows nothing of its own task, and
/// holds what sampling, profiles and the model itself do to predictions of tasks yet unknown. Where nothing
/// is published that an interval could be judged by, its own task's errors count, too. Entries without enough
/// others, nine, get none. Cost: n² log n of the entries.
void add_intervals(std::vector<EntryOutcome>& outcomes);

/// Of how many entries that calibrate nothing the published value is known to lie inside or outside of its
/// interval, and of how many inside.
struct Coverage {
  int with_interval = 0;
  int inside = 0;
};
Coverage coverage_of_predictions(const std::vector<EntryOutcome>& outcomes);

}  // namespace starling
