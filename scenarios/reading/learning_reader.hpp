#pragma once

#include <cstdint>

#include "io/json/json_reader.hpp"
#include "scenarios/description/learning_description.hpp"
#include "scenarios/reading/learning_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// What a learning task depends on besides its own block.
struct LearningContext {
  const Workload& workload;  // whose tensors the task's parameters stand for
  int workers = 1;
  std::uint64_t seed = 1;
};

/// Reads the files that a scenario's `learning` names, and makes the task. @throws ScenarioError, for the
/// block at `place`.
LearningOptions make_learning(const LearningDescription& learning, const JsonPlace& place,
                              const LearningContext& context);

}  // namespace starling
