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
  records_.push_back({.iterations = 0, .loss = task_->loss(task_->initial_parameters())});
}

bool LearningLog::is_evaluated(std::int64_t iterations) const {
  return iterations % evaluate_every_ == 0 || iterations == iterations_;
}

void LearningLog::end_iteration(std::int64_t iteration, std::span<const float> model) {
  const std::int64_t ended = iteration + 1;
  if (!is_evaluated(ended)) return;
  RunningMean& models = under_way_[ended];
  models.add(model);
  if (models.count() < workers_) return;
  records_.push_back({.iterations = ended,
                      .loss = task_->loss(models.mean()),
                      .consensus_distance = models.mean_squared_distance()});
  under_way_.erase(ended);
}

}  // namespace starling
