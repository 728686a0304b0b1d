#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/jitter.hpp"
#include "base/types.hpp"
#include "io/json/overrides.hpp"
#include "scenarios/description/algorithm_description.hpp"
#include "scenarios/description/engine.hpp"
#include "scenarios/description/wanted_precision.hpp"
#include "scenarios/reading/learning_options.hpp"
#include "sim/messages/message_costs.hpp"
#include "sim/networks/fair/fair_options.hpp"
#include "sim/networks/simgrid/simgrid_options.hpp"
#include "sim/networks/tcp/tcp_options.hpp"
#include "topologies/networks/cluster_options.hpp"
#include "topologies/networks/host_costs.hpp"
#include "workloads/compute/compute_options.hpp"
#include "workloads/imbalance/imbalance_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

struct SharedJob;

/// A checked scenario: a training job, its cluster, and the algorithms to compare.
struct Scenario {
  std::filesystem::path file;
  std::vector<Override> changes;  // applied to the file's JSON from the command line
  std::string place = {};         // JSON pointer of the scenario in the file: "/base" in a study
  std::filesystem::path folder;   // relative paths start from it; empty: the working folder
  std::string name;
  std::uint64_t seed = 1;
  std::int64_t iterations = 0;         // warm-up included
  std::int64_t warmup_iterations = 0;  // the first of these, which no result counts; less than iterations
  /// If set, runs go on with more iterations until their means are known as precisely.
  std::optional<WantedPrecision> precision;

  Engine engine = Engine::fair;
  SimGridOptions simgrid;
  FairOptions fair;
  CollectiveExecution collectives = CollectiveExecution::automatic;

  ClusterOptions cluster;
  std::string transport = "ideal";
  std::string transport_reason = "given";
  MessageCosts message_costs;
  HostCosts host_costs;
  std::optional<double> model_error;  // as in ClusterDescription
  Jitter jitter;                      // relative changes of latencies and compute times
  TcpOptions tcp;

  Workload workload;
  ComputeKind compute_kind = ComputeKind::emulated;
  std::vector<Imbalance> imbalance;
  std::optional<LearningOptions> learning;
  std::vector<ScenarioAlgorithm> algorithms;  // at least one, or none where there are jobs
  /// Several jobs that share the cluster, instead of a workload and algorithms.
  std::vector<SharedJob> jobs;

  /// All files that it was read from besides `file`, in the order of reading.
  std::vector<std::filesystem::path> input_files;
  /// Warnings about legal but suspicious values, a sentence each, to be shown before the run.
  std::vector<std::string> warnings;
  /// The scenario's JSON with defaults filled in and quantities in SI; reading it gives the same scenario.
  nlohmann::ordered_json as_read;
  /// JSON pointer of algorithms[0] if it is the algorithm of a job; empty if it is in the list `algorithms`.
  std::string algorithm_place;
};

/// seed + count, the seed of a repetition of a scenario; after the greatest seed that may be given comes 0.
constexpr std::uint64_t offset_seed(std::uint64_t seed, std::uint64_t count) {
  return (seed + count) & std::uint64_t{std::numeric_limits<std::int64_t>::max()};
}

/// One of several jobs that share a scenario's cluster.
struct SharedJob {
  std::vector<Rank> workers;  // workers[r] is the cluster's worker with rank r in the job
  double start_s = 0;
  bool repeats = false;  // goes on until all other jobs have done their iterations
  /// The job alone: its name, seed, length, workload and one algorithm, on the cluster of all jobs.
  Scenario scenario;
};

}  // namespace starling
