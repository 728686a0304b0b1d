#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "workloads/learning/learning_task.hpp"

namespace starling {

/// The state of learning when the workers had ended `iterations` iterations each, on average.
struct LearningRecord {
  std::int64_t iterations = 0;  // 0: before the first one
  /// The loss of the mean of all workers' models; infinite or NaN if they have diverged.
  double loss = 0;
  /// The mean over workers of |x_i − mean|², where x_i is worker i's model.
  double consensus_distance = 0;
};

/// The mean of vectors and their mean squared distance from it, computed in one pass. Equal vectors give
/// exactly themselves and 0.
class RunningMean {
 public:
  /// Adds a vector, which must be as long as the first. O(its length).
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

/// Observes every worker's model at the end of each of its iterations.
class ModelObserver {
 public:
  virtual ~ModelObserver() = default;

  /// Called when a worker has ended its next iteration with this model.
  virtual void end_iteration(Rank rank, std::span<const float> model) = 0;
};

/// Evaluates the mean model of the workers every `evaluate_every` iterations and after the last one.
///
/// Record n is made when the workers have ended n·P iterations together. It uses the model x_i that worker i
/// had at the end of its latest iteration, or the initial model before its first; so a worker that is ahead
/// counts with its newest model. If no worker begins an iteration before all have ended the preceding one,
/// each has ended exactly n. Keeps one model per worker.
class LearningLog final : public ModelObserver {
 public:
  LearningLog(std::shared_ptr<const LearningTask> task, int workers, std::int64_t iterations,
              std::int64_t evaluate_every);

  /// Must be called for every iteration of every worker once, in the order of time.
  void end_iteration(Rank rank, std::span<const float> model) override;

  /// Whether a record is made after `iterations` iterations.
  bool is_evaluated(std::int64_t iterations) const;

  /// Makes the record after `iterations` iterations from all models: replaces the calls of end_iteration() of
  /// all workers.
  void add(std::int64_t iterations, const RunningMean& models);

  /// All records in order; the first is that of the initial model.
  const std::vector<LearningRecord>& records() const { return records_; }

 private:
  std::shared_ptr<const LearningTask> task_;
  int workers_;
  std::int64_t iterations_;
  std::int64_t evaluate_every_;
  std::vector<std::vector<float>> latest_;  // latest model of every worker
  std::int64_t ended_ = 0;                  // iterations ended by all workers together
  std::vector<LearningRecord> records_;
};

}  // namespace starling
