#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "sim/activity.hpp"

namespace starling {

/// What workers are at, and what they were, while somebody asks for it. O(1) a change.
class WorkerActivities {
 public:
  /// What a worker is at from now on; before that it waits.
  void note(Rank rank, Activity activity, double now_s);
  /// What it is at.
  Activity activity(Rank rank) const {
    const auto worker = static_cast<std::size_t>(rank);
    return worker < activities_of_.size() ? activities_of_[worker] : Activity::waiting;
  }
  /// What a worker is at from then on.
  struct Since {
    double s;
    Activity activity;
  };
  /// From now on keeps a history of what workers are at; drops what ended before `time_s` from the history so
  /// far.
  void keep_history_since(double time_s);
  void forget_history();
  /// The kept history of a worker, in order of time.
  std::span<const Since> history(Rank rank) const;

 private:
  bool keeps_history_ = false;
  std::vector<Activity> activities_of_;      // workers
  std::vector<std::vector<Since>> history_;  // of each of them, where someone asks
};

}  // namespace starling
