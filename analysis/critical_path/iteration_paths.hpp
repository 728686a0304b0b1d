#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "analysis/critical_path/critical_path.hpp"
#include "sim/causes.hpp"
#include "sim/routes.hpp"

namespace starling {

/// The critical paths of all iterations of a run, found while it goes on.
///
/// The path of a worker's iteration leads back from its end to the end of the worker's iteration before, by
/// causes. As soon as all workers have ended an iteration, its paths are walked, and steps that no later one
/// can need are forgotten. Costs a step for every message, reduction and computation on the path of each
/// worker; memory: the steps of the iterations that some workers have ended and others not.
class IterationPaths {
 public:
  /// `causes` must be of one run, whose workers have yet to begin, and outlive this object, which is the one
  /// that it tells of iterations.
  IterationPaths(Causes& causes, int workers, std::size_t links, std::int64_t warmup_iterations);
  IterationPaths(const IterationPaths&) = delete;
  IterationPaths& operator=(const IterationPaths&) = delete;

  /// After the run: the mean over workers and iterations beyond warm-up. Absent if there is none, or there
  /// were too many steps to keep.
  std::optional<CriticalPath> mean(std::span<const Link> links) const;

 private:
  struct End {
    double s;
    Causes::Index step;
  };
  struct OfWorker {
    double begin_s = 0;    // of the first iteration that others have not ended
    std::deque<End> ends;  // of iterations that others have not ended
  };

  /// On the way back along a worker's path.
  struct Walk {
    Causes::Index at;
    double until_s;
    double begin_s;
  };

  void end_iteration(Rank rank, End end);
  void walk_all();
  bool goes_on(Walk& walk);
  void count(const Blame& blame, double s);

  Causes& causes_;
  std::int64_t warmup_iterations_;
  std::vector<OfWorker> workers_;
  std::size_t workers_without_end_;
  std::int64_t iterations_ = 0;  // that all have ended
  std::vector<Walk> walks_;
  std::vector<std::vector<double>> spent_s_;  // by what, on whom
};

}  // namespace starling
