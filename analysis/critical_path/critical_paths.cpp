#include "analysis/critical_path/critical_paths.hpp"

#include <algorithm>
#include <limits>

namespace starling {

CriticalPaths::CriticalPaths(CausalLog& causes) : causes_(causes) {
  causes.iteration_ended = [this](Rank rank, double end_s, CausalLog::Index step) {
    end_iteration(rank, end_s, step);
  };
}

void CriticalPaths::add(std::span<const Rank> workers, const PathsOfJob& job) {
  jobs_.emplace_back(causes_, job);
  places_.resize(job.network_workers);
  for (std::size_t rank = 0; rank < workers.size(); ++rank)
    places_[static_cast<std::size_t>(workers[rank])] = {.job = &jobs_.back(),
                                                        .rank = static_cast<Rank>(rank)};
}

void CriticalPaths::end_iteration(Rank rank, double end_s, CausalLog::Index step) {
  const Place& place = places_[static_cast<std::size_t>(rank)];
  place.job->end_iteration(place.rank, end_s, step);
  double needed_since_s = std::numeric_limits<double>::infinity();
  for (const IterationPaths& job : jobs_) needed_since_s = std::min(needed_since_s, job.needed_since_s());
  causes_.forget_until(needed_since_s);
}

}  // namespace starling
