#include "analysis/model/modeled_worker.hpp"

#include <algorithm>
#include <vector>

namespace starling {

ModeledWorker::ModeledWorker(Rank rank, ModeledJob& job)
    : rank_(rank), job_(&job), layers_(static_cast<int>(job.run.workload.model.layers.size())) {}

void ModeledWorker::begin_iteration() {
  ++iteration_;
  record_ = {};
  next_forward_ = 0;
  last_backward_ = layers_;
  load_ = job_->run.load(rank_, iteration_);
  record_.delay_s = compute(load_.delay_s);
}

void ModeledWorker::forward_to(int end_layer) {
  const std::vector<double>& forward_s = job_->run.workload.forward_s;
  record_.forward_s +=
      compute(load_.factor * sum_of_layers_s(forward_s, next_forward_, end_layer, job_->forward_time));
  if (next_forward_ < layers_ && end_layer == layers_) accumulate_gradients();
  next_forward_ = end_layer;
}

void ModeledWorker::accumulate_gradients() {
  const Workload& workload = job_->run.workload;
  const int further = workload.accumulation_steps - 1;
  if (further == 0) return;
  record_.backward_s += compute(load_.factor * further * workload.backward_total_s());
  record_.forward_s += compute(load_.factor * further * workload.forward_total_s());
}

void ModeledWorker::backward_to(int first_layer) {
  const std::vector<double>& backward_s = job_->run.workload.backward_s;
  record_.backward_s +=
      compute(load_.factor * sum_of_layers_s(backward_s, first_layer, last_backward_, job_->backward_time));
  // As in Trainer::backward_to().
  if (last_backward_ == layers_ || first_layer < last_backward_) record_.ready_s = now_s_;
  last_backward_ = first_layer;
}

void ModeledWorker::update(TensorRange tensors) {
  record_.update_s += compute(job_->run.workload.update_s(job_->sizes.parameters(tensors).count()));
}

void ModeledWorker::wait_until(double time_s) { now_s_ = std::max(now_s_, time_s); }

void ModeledWorker::end_iteration() {
  record_.end_s = now_s_;
  record_.blocked_s = std::max(0.0, record_.end_s - previous_end_s_ - record_.busy_s());
  previous_end_s_ = record_.end_s;
  job_->log.add(rank_, record_);
}

double ModeledWorker::compute(double seconds) {
  record_.planned_s += seconds;
  now_s_ += seconds;
  return seconds;
}

}  // namespace starling
