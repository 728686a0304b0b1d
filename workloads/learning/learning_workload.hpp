#pragma once

#include <cstdint>
#include <memory>

#include "workloads/learning/learning_task.hpp"
#include "workloads/learning/optimizer.hpp"
#include "workloads/learning/replica.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// The workload with the tensors of its model rescaled to `task_parameters` elements in all; times and bytes
/// are kept.
///
/// The boundary after tensor t moves from element s of the model to round(s · task_parameters / parameters).
/// So tensors keep their order and proportions, and their elements sum to task_parameters exactly.
/// bytes_per_element grows by parameters / task_parameters: all tensors together stand for the model's bytes,
/// any run of neighboring tensors for its bytes to within one (new) element, and the optimizer takes as long
/// as before. A tensor much smaller than a new element may have none; its messages are then empty.
///
/// @throws std::invalid_argument unless model and task have at least one parameter each.
Workload learning_workload(const Workload& workload, std::int64_t task_parameters);

/// A worker's replica of a learning workload, with the task's initial parameters.
/// @throws std::invalid_argument unless the workload has as many parameters as the task, and the options are
/// valid.
Replica learning_replica(const Workload& learning_workload, std::shared_ptr<const LearningTask> task,
                         int worker, const OptimizerOptions& optimizer);

}  // namespace starling
