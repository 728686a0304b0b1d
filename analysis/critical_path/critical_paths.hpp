#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "analysis/critical_path/iteration_paths.hpp"

namespace starling {

/// How many steps of a run are kept at a time: as many as possible if paths are asked for; 64 MiB of them for
/// a timeline alone, which shows which workers others wait for.
constexpr std::size_t steps_to_keep(bool are_paths_asked_for) {
  return are_paths_asked_for ? CausalLog::most_steps : std::size_t{1} << 22;
}

/// The critical paths of all jobs of a run. Steps that no job needs any more are forgotten; memory: the steps
/// since the beginning of the earliest iteration that some worker has not ended.
class CriticalPaths {
 public:
  /// From now on `causes` calls this object when iterations end; it must outlive this object.
  explicit CriticalPaths(CausalLog& causes);
  CriticalPaths(const CriticalPaths&) = delete;
  CriticalPaths& operator=(const CriticalPaths&) = delete;

  /// To be called before the run, for each job: its rank r is worker `workers[r]` of the network. All jobs
  /// must have the same numbers of workers of the network and of links. A job that is all warm-up has no
  /// paths, but its steps are forgotten like those of others.
  void add(std::span<const Rank> workers, const PathsOfJob& job);

  /// After the run: the path of a job, by the order in which jobs were added; see IterationPaths::mean().
  std::optional<CriticalPath> mean(std::size_t job, std::span<const Link> links) const {
    return jobs_[job].mean(links);
  }

 private:
  struct Place {
    IterationPaths* job = nullptr;
    Rank rank = 0;  // in that job
  };

  void end_iteration(Rank rank, double end_s, CausalLog::Index step);

  CausalLog& causes_;
  std::deque<IterationPaths> jobs_;
  std::vector<Place> places_;  // by worker of the network
};

}  // namespace starling
