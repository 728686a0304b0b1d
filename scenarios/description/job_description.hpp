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

/// One of several jobs that share the cluster of a scenario, as the scenario gives it.
struct JobDescription {
  std::string name;
  std::optional<std::uint64_t> seed;  // nullopt: default_seed()
  /// Either `workers` consecutive workers of the cluster, from `first_worker` on (nullopt: from the one after
  /// the greatest of the previous job), or the listed workers: ranks[r] is the cluster's worker with rank r
  /// in the job.
  std::optional<int> workers;
  std::optional<int> first_worker;
  std::vector<int> ranks;
  double start_s = 0;
  std::optional<std::int64_t> iterations;  // nullopt: the scenario's
  std::optional<std::int64_t> warmup_iterations;
  bool repeats = false;  // goes on, uncounted, until all other jobs have done their iterations
  WorkloadDescription workload;
  ScenarioAlgorithm algorithm;

  int worker_count() const { return workers ? *workers : static_cast<int>(ranks.size()); }
};

/// The values of a scenario that its jobs have by default.
struct JobDefaults {
  std::int64_t iterations = 0;
  std::int64_t warmup_iterations = 0;
};

/// Describes a job; `number` is its position in the list, from 0.
void describe_job(JobDescription& job, std::size_t number, const JobDefaults& defaults,
                  OptionVisitor& visitor);

/// The default seed of the job at position `number`: the scenario's for job 0, for others a hash of the
/// scenario's seed and the position, of 31 bits.
std::uint64_t default_seed(std::uint64_t scenario_seed, std::size_t number);

}  // namespace starling
