#include "sim/networks/worker_activities.hpp"

#include <algorithm>

namespace starling {

void WorkerActivities::note(Rank rank, Activity activity, double now_s) {
  const auto worker = static_cast<std::size_t>(rank);
  if (worker >= activities_of_.size()) activities_of_.resize(worker + 1, Activity::waiting);
  activities_of_[worker] = activity;
  if (!keeps_history_) return;
  history_.resize(activities_of_.size());
  if (!history_[worker].empty() && history_[worker].back().s == now_s) history_[worker].pop_back();
  history_[worker].push_back({now_s, activity});
}

void WorkerActivities::keep_history_since(double time_s) {
  keeps_history_ = true;
  for (std::vector<Since>& of_worker : history_) {
    const auto after = std::ranges::upper_bound(of_worker, time_s, {}, &Since::s);
    if (after != of_worker.begin()) of_worker.erase(of_worker.begin(), after - 1);
  }
}

void WorkerActivities::forget_history() {
  keeps_history_ = false;
  for (std::vector<Since>& of_worker : history_) of_worker.clear();
}

std::span<const WorkerActivities::Since> WorkerActivities::history(Rank rank) const {
  const auto worker = static_cast<std::size_t>(rank);
  if (worker >= history_.size()) return {};
  return history_[worker];
}

}  // namespace starling
