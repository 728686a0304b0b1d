#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// Who took part in what: contributions to the operations of algorithms that do not wait for everyone, or
/// average among some, and how far workers were apart.
///
/// An operation is one execution of a collective (one tensor or bucket, one version), numbered from 0, or one
/// averaging of models: of a group, of a worker with its neighbors, of a pair. A contribution is fresh if it
/// holds what its worker made in the operation's iteration; then the worker is active. It is stale if it
/// holds older work only, and absent if it holds none. Its staleness is counted for every iteration's work
/// that it holds: the operation's iteration minus that one.
class ParticipationLog {
 public:
  explicit ParticipationLog(int workers);

  /// A worker's contribution to an operation of `iteration` holds its work of iterations oldest … newest.
  /// @throws InvariantError unless oldest ≤ newest ≤ iteration.
  void contribute(std::int64_t operation, std::int64_t iteration, std::int64_t oldest, std::int64_t newest);
  /// A worker had nothing to contribute to an operation.
  void contribute_nothing(std::int64_t operation);
  /// One more operation, all of whose contributions are known: those that are fresh, and how many iterations
  /// old each of the others is. Takes no memory of its own. @throws InvariantError unless all are 1 or more.
  void add_operation(int fresh, std::span<const std::int64_t> stale = {});
  /// A worker ended an iteration. Amortised O(1).
  void end_iteration(Rank rank);
  /// All workers ended the iterations of the log, as many each, at the times that it gives; nobody may have
  /// ended any before. O(iterations).
  void end_iterations(const IterationLog& log);

  /// All contributions as numbers, for add_contributions() of a log of another process of the same run.
  std::vector<std::int64_t> contributions() const;
  /// Adds those of another log of as many workers: contributions to an operation of the same number join.
  /// @throws InvariantError if there are too few numbers.
  void add_contributions(std::span<const std::int64_t> contributions);

  std::int64_t operations() const {
    return static_cast<std::int64_t>(active_workers_.size()) + whole_operations_;
  }
  std::int64_t fresh_contributions() const { return fresh_; }
  std::int64_t stale_contributions() const { return stale_; }
  std::int64_t absent_contributions() const { return absent_; }

  /// How many operations had exactly k active workers, k = 0 … P.
  std::vector<std::int64_t> active_workers_histogram() const;
  /// The mean over all operations; 0 if there are none.
  double mean_active_workers() const;

  /// How many times the work of an iteration was contributed s iterations later, s = 0, 1, …
  const std::vector<std::int64_t>& staleness_histogram() const { return staleness_; }
  /// The mean over all work that was contributed; 0 if none was.
  double mean_staleness_iterations() const;
  std::int64_t max_staleness_iterations() const;

  /// Iterations ended so far, of every worker.
  const std::vector<std::int64_t>& iterations() const { return iterations_; }
  /// The most iterations that any worker was ever ahead of the slowest.
  std::int64_t max_lead_iterations() const { return max_lead_; }

 private:
  void count_operation(std::int64_t operation, int active);
  void count_work(std::int64_t staleness, std::int64_t times);

  std::vector<int> active_workers_;            // of every numbered operation
  std::vector<std::int64_t> whole_histogram_;  // how many added operations had k active workers
  std::int64_t whole_operations_ = 0;
  std::int64_t fresh_ = 0;
  std::int64_t stale_ = 0;
  std::int64_t absent_ = 0;
  std::vector<std::int64_t> staleness_;

  std::vector<std::int64_t> iterations_;
  std::vector<int> workers_past_;  // how many workers have ended iteration i
  std::int64_t slowest_ = 0;
  std::int64_t max_lead_ = 0;
};

/// Where one worker notes its part in a log; without one, nothing is noted.
class ParticipationNotes {
 public:
  /// Implicit, so that a log, or none, can be given where notes are taken.
  ParticipationNotes(ParticipationLog* log = nullptr) : log_(log) {}

  void contribute(std::int64_t operation, std::int64_t iteration, std::int64_t oldest,
                  std::int64_t newest) const;
  void contribute_nothing(std::int64_t operation) const;
  /// An average of this worker's model with those of others, all of them so many iterations old.
  void add_average(int others, std::int64_t staleness = 0) const;
  /// An average of all models, which every worker notes: it is one operation.
  void add_average_of_all(Rank rank, int world_size) const;
  void end_iteration(Rank rank) const;

 private:
  ParticipationLog* log_;
};

}  // namespace starling
