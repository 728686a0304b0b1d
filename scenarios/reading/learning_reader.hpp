#pragma once

#include <cstdint>

#include "io/json/json_reader.hpp"
#include "scenarios/description/learning_description.hpp"
#include "scenarios/reading/learning_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// The inputs of a learning task besides its own block.
struct LearningContext {
  const Workload& workload;  // whose tensors the task's parameters stand for
  int workers = 1;
  std::uint64_t seed = 1;
};

/// Reads the files that `learning`, the block at `place`, names, and constructs the task.
/// @throws ScenarioError, also if data or models do not fit in memory.
LearningOptions make_learning(const LearningDescription& learning, const JsonPlace& place,
                              const LearningContext& context);

}  // namespace starling
