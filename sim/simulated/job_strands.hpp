#pragma once

#include <functional>
#include <string>
#include <utility>

#include "sim/strands/scheduler.hpp"
#include "sim/worker.hpp"

namespace starling {

/// The strands of one of several jobs: detects when the job has ended, and names strands by their job.
class JobStrands {
 public:
  /// The strands are named "… of `job`". `ended` is called once, when the last foreground strand has ended.
  /// The strands of a job that goes on for ever are background strands of the scheduler, and are dropped
  /// when the run of the other jobs ends.
  JobStrands(Scheduler& scheduler, std::string job, bool runs_forever, std::function<void()> ended)
      : scheduler_(scheduler), job_(std::move(job)), runs_forever_(runs_forever), ended_(std::move(ended)) {}
  JobStrands(const JobStrands&) = delete;
  JobStrands& operator=(const JobStrands&) = delete;

  void spawn(Rank rank, const std::string& name, std::function<void()> body, StrandKind kind);
  void spawn_stepwise(Rank rank, const std::string& name, std::function<void()> step);

 private:
  std::string name_of(const std::string& strand) const { return strand + " of " + job_; }

  Scheduler& scheduler_;
  std::string job_;
  bool runs_forever_;
  std::function<void()> ended_;
  int foreground_ = 0;
};

}  // namespace starling
