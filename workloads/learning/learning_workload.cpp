#include "workloads/learning/learning_workload.hpp"

#include <cmath>
#include <utility>

#include "base/reject.hpp"

namespace starling {

Workload learning_workload(const Workload& workload, std::int64_t task_parameters) {
  const std::int64_t model_parameters = workload.parameters();
  if (model_parameters <= 0 || task_parameters <= 0) {
    reject("a task of {} parameters cannot stand for a model of {}; both need at least 1", task_parameters,
           model_parameters);
  }
  const double share = static_cast<double>(task_parameters) / static_cast<double>(model_parameters);
  Workload learning = workload;
  learning.bytes_per_element = workload.bytes_per_element / share;
  learning.bytes_per_parameter = workload.bytes_per_parameter / share;
  std::int64_t model_end = 0;
  std::int64_t task_end = 0;
  for (Tensor& tensor : learning.model.tensors) {
    model_end += tensor.elements;
    // The last boundary is exact, whatever the rounding of the share.
    const std::int64_t next_end = model_end == model_parameters
                                      ? task_parameters
                                      : std::llround(static_cast<double>(model_end) * share);
    tensor.elements = next_end - task_end;
    task_end = next_end;
  }
  return learning;
}

Replica learning_replica(const Workload& learning_workload, std::shared_ptr<const LearningTask> task,
                         int worker, const OptimizerOptions& optimizer) {
  std::vector<float> initial_parameters = task->initial_parameters();
  GradientTask gradient = [task = std::move(task), worker](std::int64_t iteration,
                                                           std::span<const float> parameters,
                                                           std::span<float> gradients) {
    task->gradient(worker, iteration, parameters, gradients);
  };
  return Replica(learning_workload, std::move(initial_parameters), optimizer, std::move(gradient));
}

}  // namespace starling
