#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/json_reader.hpp"
#include "scenarios/reading/learning_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// What a learning task depends on besides its own block.
struct LearningContext {
  const Workload& workload;  // whose tensors the task's parameters stand for
  int workers = 1;
  std::int64_t iterations = 1;
  std::uint64_t seed = 1;
};

/// Reads a scenario's `learning`, with the files that it names, and makes the task. @throws ScenarioError.
Normalized<LearningOptions> read_learning(const JsonPlace& place, const LearningContext& context);

/// What can be learned.
const std::vector<std::string>& learning_tasks();

}  // namespace starling
