#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "analysis/critical_path/iteration_paths.hpp"

namespace starling {

/// How many steps of a run are kept at a time: all there is room for if paths are asked for; for a timeline
/// alone, which says for whom workers wait, 64 MiB.
constexpr std::size_t steps_to_keep(bool are_paths_asked_for) {
  return are_paths_asked_for ? Causes::most_steps : std::size_t{1} << 22;
}

/// The critical paths of all jobs of a run. Steps that no iteration of any can need any more are forgotten;
/// memory: the steps since the earliest iteration of which some worker has not seen the end.
class CriticalPaths {
 public:
  /// `causes` tells this object of iterations from now on, and must outlive it.
  explicit CriticalPaths(Causes& causes);
  CriticalPaths(const CriticalPaths&) = delete;
  CriticalPaths& operator=(const CriticalPaths&) = delete;

  /// Before the run, job by job: rank r of it is worker `workers[r]` of the network. All must count the
  /// same workers of the network, and the same links. A job that is all warm-up has no paths: its steps are
  /// forgotten as those of others.
  void add(std::span<const Rank> workers, const PathsOfJob& job);

  /// After the run, of a job in the order in which they were added: see IterationPaths.
  std::optional<CriticalPath> mean(std::size_t job, std::span<const Link> links) const {
    return jobs_[job].mean(links);
  }

 private:
  struct Place {
    IterationPaths* job = nullptr;
    Rank rank = 0;  // in it
  };

  void end_iteration(Rank rank, double end_s, Causes::Index step);

  Causes& causes_;
  std::deque<IterationPaths> jobs_;
  std::vector<Place> places_;  // by worker of the network
};

}  // namespace starling
