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

/// The keys of a scenario as given: named files are not read yet, labels may be missing.
struct ScenarioDescription {
  std::string name;
  std::uint64_t seed = 1;
  std::int64_t iterations = first_iterations;
  std::optional<WantedPrecision> precision;       // if given instead of a number of iterations
  std::optional<std::int64_t> warmup_iterations;  // nullopt: default_warmup(iterations)
  Engine engine = Engine::fair;
  SimGridOptions simgrid;
  FairOptions fair;
  CollectiveExecution collectives = CollectiveExecution::automatic;
  ClusterDescription cluster;
  WorkloadDescription workload;
  std::optional<LearningDescription> learning;
  std::vector<ScenarioAlgorithm> algorithms;
  std::vector<JobDescription> jobs;  // instead of workload, learning and algorithms
};

/// Describes all keys of a scenario: reader, JSON Schema and reference follow from this description.
void describe(ScenarioDescription& scenario, OptionVisitor& visitor);

/// The default warm-up: a tenth of the iterations, at least 1, since the first iteration differs from all
/// others; 0 of a single iteration.
std::int64_t default_warmup(std::int64_t iterations);

/// The length and warm-up that jobs of the scenario have by default.
JobDefaults job_defaults(const ScenarioDescription& scenario);

}  // namespace starling
