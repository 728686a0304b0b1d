#include "workloads/learning/learning_log.hpp"

#include <utility>

#include "base/errors.hpp"

namespace starling {

void RunningMean::add(std::span<const float> values) {
  if (count_ == 0) mean_.assign(values.size(), 0.0);
  STARLING_INVARIANT(values.size() == mean_.size());
  ++count_;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double value = values[k];
    const double before = value - mean_[k];
    mean_[k] += before / count_;
    squares_ += before * (value - mean_[k]);
  }
}

std::vector<float> RunningMean::mean() const { return {mean_.begin(), mean_.end()}; }

LearningLog::LearningLog(std::shared_ptr<const LearningTask> task, int workers, std::int64_t iterations,
                         std::int64_t evaluate_every)
    : task_(std::move(task)), workers_(workers), iterations_(iterations), evaluate_every_(evaluate_every) {
  STARLING_INVARIANT(workers >= 1 && evaluate_every >= 1);
  const std::vector<float> start = task_->initial_parameters();
  latest_.assign(static_cast<std::size_t>(workers), start);
  records_.push_back({.iterations = 0, .loss = task_->loss(start)});
}

bool LearningLog::is_evaluated(std::int64_t iterations) const {
  return iterations % evaluate_every_ == 0 || iterations == iterations_;
}

void LearningLog::end_iteration(Rank rank, std::span<const float> model) {
  latest_[static_cast<std::size_t>(rank)].assign(model.begin(), model.end());
  ++ended_;
  const std::int64_t iterations = ended_ / workers_;
  if (ended_ % workers_ != 0 || !is_evaluated(iterations)) return;
  RunningMean models;
  for (const std::vector<float>& latest : latest_) models.add(latest);
  add(iterations, models);
}

void LearningLog::add(std::int64_t iterations, const RunningMean& models) {
  records_.push_back({.iterations = iterations,
                      .loss = task_->loss(models.mean()),
                      .consensus_distance = models.mean_squared_distance()});
}

}  // namespace starling
