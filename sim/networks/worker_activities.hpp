#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "sim/activity.hpp"

namespace starling {

/// The present activity of every worker and, on request, its history. O(1) per change.
class WorkerActivities {
 public:
  /// Sets a worker's activity from now on. Initially it is `waiting`.
  void note(Rank rank, Activity activity, double now_s);
  /// The present activity of a worker.
  Activity activity(Rank rank) const {
    const auto worker = static_cast<std::size_t>(rank);
    return worker < activities_of_.size() ? activities_of_[worker] : Activity::waiting;
  }
  /// An entry of a history: the activity from time `s` on.
  struct Since {
    double s;
    Activity activity;
  };
  /// From now on keeps a history of activities; drops from the history so far what ended before `time_s`.
  void keep_history_since(double time_s);
  void forget_history();
  /// The history of a worker that has been kept, in order of time.
  std::span<const Since> history(Rank rank) const;

 private:
  bool keeps_history_ = false;
  std::vector<Activity> activities_of_;      // by rank
  std::vector<std::vector<Since>> history_;  // by rank, where it is kept
};

}  // namespace starling
