#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "scenarios/description/algorithm_description.hpp"
#include "scenarios/description/workload_description.hpp"

namespace starling {

/// One of several jobs that share a scenario's cluster, as it stands there.
struct JobDescription {
  std::string name;
  std::optional<std::uint64_t> seed;  // usual_seed() if it is left out
  /// How many of the cluster's workers it has, one after the other, and the first of them, or those after the
  /// former job's; or which ones.
  std::optional<int> workers;
  std::optional<int> first_worker;
  std::vector<int> ranks;
  double start_s = 0;
  std::optional<std::int64_t> iterations;  // the scenario's if they are left out
  std::optional<std::int64_t> warmup_iterations;
  bool repeats = false;
  WorkloadDescription workload;
  ScenarioAlgorithm algorithm;

  int worker_count() const { return workers ? *workers : static_cast<int>(ranks.size()); }
};

/// What a job takes over from its scenario.
struct JobDefaults {
  std::int64_t iterations = 0;
  std::int64_t warmup_iterations = 0;
};

/// Describes the job of that number, from 0.
void describe_job(JobDescription& job, std::size_t number, const JobDefaults& defaults,
                  OptionVisitor& visitor);

/// The seed of the job of that number: the scenario's for the first, for each other one of its own.
std::uint64_t usual_seed(std::uint64_t scenario_seed, std::size_t number);

}  // namespace starling
