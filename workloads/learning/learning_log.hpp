#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "workloads/learning/learning_task.hpp"

namespace starling {

/// How far learning was when workers had ended `iterations` each, on average.
struct LearningRecord {
  std::int64_t iterations = 0;  // 0: before the first
  /// The loss of the mean of all workers' models; infinite or not a number where they have diverged.
  double loss = 0;
  /// Mean over workers of |x_i − mean|², x_i being worker i's model.
  double consensus_distance = 0;
};

/// The mean of vectors and their squared distances from it, one vector after the other; equal vectors give
/// themselves and exactly 0.
///
/// Reference: Welford, "Note on a method for calculating corrected sums of squares and products",
/// Technometrics 4(3), 1962.
class RunningMean {
 public:
  /// Every vector must be as long as the first. O(its length).
  void add(std::span<const float> values);

  int count() const { return count_; }
  std::vector<float> mean() const;
  /// Σ_i |x_i − mean|² / count
  double mean_squared_distance() const { return squares_ / count_; }

 private:
  int count_ = 0;
  std::vector<double> mean_;
  double squares_ = 0;
};

/// Sees every worker's model at the end of its iterations.
class ModelObserver {
 public:
  virtual ~ModelObserver() = default;

  /// A worker with this model ended its next iteration.
  virtual void end_iteration(Rank rank, std::span<const float> model) = 0;
};

/// Evaluates what workers learn, every so many iterations and after the last one.
///
/// At row n, when workers together have ended n times their number of iterations, x_i is what worker i's
/// replica held at the end of its latest one, the initial model before its first: so a worker that is ahead
/// counts as far as it is. Where nobody ends an iteration before everyone has ended the one before, each has
/// ended n. A model per worker is kept.
class LearningLog final : public ModelObserver {
 public:
  LearningLog(std::shared_ptr<const LearningTask> task, int workers, std::int64_t iterations,
              std::int64_t evaluate_every);

  /// Every worker must tell of every iteration once, as time goes.
  void end_iteration(Rank rank, std::span<const float> model) override;

  /// Whether a record is made after so many iterations.
  bool is_evaluated(std::int64_t iterations) const;

  /// In place of end_iteration() of all workers: makes the record after so many iterations from all models.
  void add(std::int64_t iterations, const RunningMean& models);

  /// In order; the first is the start.
  const std::vector<LearningRecord>& records() const { return records_; }

 private:
  std::shared_ptr<const LearningTask> task_;
  int workers_;
  std::int64_t iterations_;
  std::int64_t evaluate_every_;
  std::vector<std::vector<float>> latest_;  // model of every worker
  std::int64_t ended_ = 0;                  // iterations of all workers
  std::vector<LearningRecord> records_;
};

}  // namespace starling
