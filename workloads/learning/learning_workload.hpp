#pragma once

#include <cstdint>
#include <memory>

#include "workloads/learning/learning_task.hpp"
#include "workloads/learning/optimizer.hpp"
#include "workloads/learning/replica.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// The workload with its tensors' elements replaced by `task_parameters` elements, its times and bytes kept.
///
/// The boundary after tensor t moves from element s of the model to round(s · task_parameters / parameters),
/// so that tensors keep their order and shares, and their elements sum to task_parameters exactly.
/// bytes_per_element grows by parameters / task_parameters: all tensors together stand for the model's bytes,
/// any run of neighboring tensors for its bytes to within one (new) element, and the optimizer takes as long
/// as it did. A tensor much smaller than such an element may be left with none: its messages are empty then.
///
/// @throws std::invalid_argument unless model and task have a parameter each.
Workload learning_workload(const Workload& workload, std::int64_t task_parameters);

/// A worker's replica of a learning workload, at the task's initial parameters.
/// @throws std::invalid_argument unless the workload has as many parameters as the task, and the options are
/// valid.
Replica learning_replica(const Workload& learning_workload, std::shared_ptr<const LearningTask> task,
                         int worker, const OptimizerOptions& optimizer);

}  // namespace starling
