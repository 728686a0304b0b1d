#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// Which workers took part in which operations, for algorithms that do not wait for everyone or average
/// within groups; and how many iterations workers were apart.
///
/// An operation is one execution of a collective (one tensor or bucket, one version), numbered from 0, or one
/// average of models: of a group, of a worker with its neighbors, of a pair. A contribution is fresh if it
/// contains its worker's work of the operation's iteration; the worker is then active. It is stale if it
/// contains older work only, and absent if it contains none. Staleness is counted for the work of every
/// iteration that a contribution contains: the operation's iteration minus that one.
class ParticipationLog {
 public:
  explicit ParticipationLog(int workers);

  /// Records a worker's contribution to an operation of `iteration`, which contains its work of iterations
  /// oldest … newest.
  /// @throws InvariantError unless oldest ≤ newest ≤ iteration.
  void contribute(std::int64_t operation, std::int64_t iteration, std::int64_t oldest, std::int64_t newest);
  /// Records that a worker had nothing to contribute to an operation.
  void contribute_nothing(std::int64_t operation);
  /// Records another, unnumbered operation with all of its contributions: the number of fresh ones, and the
  /// age in iterations of each other one. Takes no memory per operation. @throws InvariantError unless all
  /// ages are 1 or more.
  void add_operation(int fresh, std::span<const std::int64_t> stale = {});
  /// Records that a worker ended an iteration. Amortized O(1).
  void end_iteration(Rank rank);
  /// Records that all workers ended the iterations of the log, equally many each, at the log's times. No
  /// iteration may have been recorded before. O(iterations).
  void end_iterations(const IterationLog& log);

  /// All contributions as numbers, to be passed to add_contributions() in another process of the same run.
  std::vector<std::int64_t> contributions() const;
  /// Adds the contributions of another log of as many workers; those to operations of the same number are
  /// joined.
  void add_contributions(std::span<const std::int64_t> contributions);

  std::int64_t operations() const {
    return static_cast<std::int64_t>(active_workers_.size()) + whole_operations_;
  }
  std::int64_t fresh_contributions() const { return fresh_; }
  std::int64_t stale_contributions() const { return stale_; }
  std::int64_t absent_contributions() const { return absent_; }

  /// The number of operations with exactly k active workers, k = 0 … P.
  std::vector<std::int64_t> active_workers_histogram() const;
  /// The mean number of active workers over all operations; 0 if there are none.
  double mean_active_workers() const;

  /// The number of times that the work of an iteration was contributed s iterations later, s = 0, 1, …
  const std::vector<std::int64_t>& staleness_histogram() const { return staleness_; }
  /// The mean staleness over all contributed work; 0 if there was none.
  double mean_staleness_iterations() const;
  std::int64_t max_staleness_iterations() const;

  /// The number of iterations that each worker has ended so far.
  const std::vector<std::int64_t>& iterations() const { return iterations_; }
  /// The most iterations that any worker was ever ahead of the slowest.
  std::int64_t max_lead_iterations() const { return max_lead_; }

 private:
  void count_operation(std::int64_t operation, int active);
  void count_work(std::int64_t staleness, std::int64_t times);

  std::vector<int> active_workers_;            // active workers of every numbered operation
  std::vector<std::int64_t> whole_histogram_;  // number of unnumbered operations with k active workers
  std::int64_t whole_operations_ = 0;
  std::int64_t fresh_ = 0;
  std::int64_t stale_ = 0;
  std::int64_t absent_ = 0;
  std::vector<std::int64_t> staleness_;

  std::vector<std::int64_t> iterations_;
  std::vector<int> workers_past_;  // number of workers that have ended iteration i
  std::int64_t slowest_ = 0;
  std::int64_t max_lead_ = 0;
};

/// A worker's access to a log; records nothing if there is no log.
class ParticipationNotes {
 public:
  /// Implicit, so that a pointer to a log, or null, can be passed where notes are expected.
  ParticipationNotes(ParticipationLog* log = nullptr) : log_(log) {}

  void contribute(std::int64_t operation, std::int64_t iteration, std::int64_t oldest,
                  std::int64_t newest) const;
  void contribute_nothing(std::int64_t operation) const;
  /// Records an average of this worker's model with those of `others` workers, all of which are `staleness`
  /// iterations old.
  void add_average(int others, std::int64_t staleness = 0) const;
  /// Records an average of all models. Every worker calls it, and together they record one operation.
  void add_average_of_all(Rank rank, int world_size) const;
  void end_iteration(Rank rank) const;

 private:
  ParticipationLog* log_;
};

}  // namespace starling
