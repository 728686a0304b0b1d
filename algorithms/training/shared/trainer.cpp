#include "algorithms/training/shared/trainer.hpp"

#include <algorithm>

#include "algorithms/training/shared/bucket.hpp"
#include "base/errors.hpp"

namespace starling {

Trainer::Trainer(Worker& worker, Replica& replica, const TrainingJob& job)
    : worker_(worker),
      replica_(replica),
      job_(job),
      layers_(static_cast<int>(job.workload.model.layers.size())),
      previous_end_s_(worker.now()) {}

const Load& Trainer::next_load() {
  if (!next_load_) next_load_ = load_of(iteration_ + 1);
  return *next_load_;
}

void Trainer::begin_iteration() {
  ++iteration_;
  worker_.begin_iteration(iteration_);
  record_ = {};
  next_forward_ = 0;
  last_backward_ = layers_;
  load_ = next_load_ ? *next_load_ : load_of(iteration_);
  next_load_.reset();
  record_.delay_s += spend(load_.delay_s, Activity::delay, {}, &Worker::delay);
}

void Trainer::forward_to(int end_layer) {
  STARLING_INVARIANT(next_forward_ <= end_layer && end_layer <= layers_);
  record_.forward_s += spend(
      load_.factor * sum_of_layers_s(job_.workload.forward_s, next_forward_, end_layer, job_.forward_time),
      Activity::forward, {next_forward_, end_layer});
  if (next_forward_ < layers_ && end_layer == layers_) accumulate_gradients();
  next_forward_ = end_layer;
}

void Trainer::accumulate_gradients() {
  const Workload& workload = job_.workload;
  if (workload.accumulation_steps == 1) return;
  const LayerRange all{0, layers_};
  const double backward_s = load_.factor * workload.backward_total_s();
  const double forward_s = load_.factor * workload.forward_total_s();
  for (int step = 1; step < workload.accumulation_steps; ++step) {
    record_.backward_s += spend(backward_s, Activity::backward, all);
    record_.forward_s += spend(forward_s, Activity::forward, all);
  }
}

void Trainer::backward_to(int first_layer) {
  STARLING_INVARIANT(next_forward_ == layers_ && 0 <= first_layer && first_layer <= last_backward_);
  if (last_backward_ == layers_) replica_.compute_gradients(iteration_);
  record_.backward_s += spend(load_.factor * sum_of_layers_s(job_.workload.backward_s, first_layer,
                                                             last_backward_, job_.backward_time),
                              Activity::backward, {first_layer, last_backward_});
  // An algorithm may end the pass again after its updates, with no layer left.
  if (last_backward_ == layers_ || first_layer < last_backward_) record_.ready_s = worker_.now();
  last_backward_ = first_layer;
}

void Trainer::delay_forward(double seconds) { record_.forward_s += spend(seconds, Activity::forward, {}); }

void Trainer::update(TensorRange tensors) { update(tensors, 1.0 / worker_.world_size()); }

void Trainer::update(TensorRange tensors, double gradient_scale) {
  const double update_s = job_.workload.update_s(replica_.parameters(tensors).count());
  const LayerRange layers =
      worker_.is_traced() ? layers_of(job_.workload.model, tensors) : LayerRange{};  // needs a search
  record_.update_s += spend(update_s, Activity::update, layers);
  replica_.update(tensors, gradient_scale);
}

void Trainer::end_iteration() {
  worker_.end_iteration();
  record_.end_s = worker_.now();
  // Rounding may make this slightly negative where the worker waited for nothing.
  record_.blocked_s = std::max(0.0, record_.end_s - previous_end_s_ - record_.busy_s());
  previous_end_s_ = record_.end_s;
  job_.log.add(worker_.rank(), record_);
  job_.participation.end_iteration(worker_.rank());
  if (job_.learning != nullptr) job_.learning->end_iteration(worker_.rank(), replica_.parameters().data());
}

Load Trainer::load_of(std::int64_t iteration) const {
  return job_.load ? job_.load(worker_.rank(), iteration) : Load{};
}

double Trainer::spend(double seconds, Activity activity, LayerRange layers, void (Worker::*occupy)(double)) {
  if (seconds == 0) return 0;
  record_.planned_s += seconds;
  const double start_s = worker_.now();
  worker_.note(activity);
  (worker_.*occupy)(seconds);
  worker_.note(Activity::waiting);
  if (worker_.is_traced())
    worker_.trace(activity_name(activity), start_s, {.layers = job_.workload.model.names_of(layers)});
  return worker_.now() - start_s;
}

}  // namespace starling
