#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "scenarios/description/algorithm_description.hpp"
#include "scenarios/description/cluster_description.hpp"
#include "scenarios/description/engine.hpp"
#include "scenarios/description/iterations.hpp"
#include "scenarios/description/job_description.hpp"
#include "scenarios/description/learning_description.hpp"
#include "scenarios/description/wanted_precision.hpp"
#include "scenarios/description/workload_description.hpp"
#include "sim/networks/fair/fair_options.hpp"
#include "sim/networks/simgrid/simgrid_options.hpp"

namespace starling {

/// What a scenario says, as it stands there: files are still names, labels may be missing.
struct ScenarioDescription {
  std::string name;
  std::uint64_t seed = 1;
  std::int64_t iterations = first_iterations;
  std::optional<WantedPrecision> precision;       // in place of a number of iterations
  std::optional<std::int64_t> warmup_iterations;  // usual_warmup(iterations) if it is left out
  Engine engine = Engine::fair;
  SimGridOptions simgrid;
  FairOptions fair;
  CollectiveExecution collectives = CollectiveExecution::automatic;
  ClusterDescription cluster;
  WorkloadDescription workload;
  std::optional<LearningDescription> learning;
  std::vector<ScenarioAlgorithm> algorithms;
  std::vector<JobDescription> jobs;  // in place of workload, learning and algorithms
};

/// The only description of every key of a scenario.
void describe(ScenarioDescription& scenario, OptionVisitor& visitor);

/// A tenth, but at least one where that leaves another to measure: the first iteration differs from all
/// others.
std::int64_t usual_warmup(std::int64_t iterations);

/// What jobs take over from their scenario.
JobDefaults job_defaults(const ScenarioDescription& scenario);

}  // namespace starling
