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

/// A question to Starling, checked: which job on which cluster, by which algorithms.
struct Scenario {
  std::filesystem::path file;
  std::vector<Override> changes;  // of what the file says, from the command line
  std::string place = {};         // in the file: "/base" of a study's
  std::filesystem::path folder;   // that relative paths in it start from; empty is the working folder
  std::string name;
  std::uint64_t seed = 1;
  std::int64_t iterations = 0;         // warm-up included
  std::int64_t warmup_iterations = 0;  // the first of them, which no result counts; less than iterations
  /// Where it is given, runs have more iterations until their means are known as well.
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
  std::optional<double> model_error;  // of predictions on this cluster, as a share of them
  Jitter jitter;                      // of latencies and computing times
  TcpOptions tcp;

  Workload workload;
  ComputeKind compute_kind = ComputeKind::emulated;
  std::vector<Imbalance> imbalance;
  std::optional<LearningOptions> learning;
  std::vector<ScenarioAlgorithm> algorithms;  // at least one, or none where there are jobs
  /// Several jobs that share the cluster, in place of a workload and algorithms.
  std::vector<SharedJob> jobs;

  /// Whatever it was read from besides `file`, in order.
  std::vector<std::filesystem::path> input_files;
  /// Legal but suspicious inputs, one sentence each, for the user to see before the run.
  std::vector<std::string> warnings;
  /// The scenario with defaults filled in and quantities in SI; read again, it gives the same scenario.
  nlohmann::ordered_json as_read;
  /// Where algorithm number 0 stands in the file if it is a job's; empty if it stands among algorithms.
  std::string algorithm_place;
};

/// The seed of another run of a scenario: counted up, and 0 after the greatest that may be given.
constexpr std::uint64_t later_seed(std::uint64_t seed, std::uint64_t count) {
  return (seed + count) & std::uint64_t{std::numeric_limits<std::int64_t>::max()};
}

/// One of several jobs that share a scenario's cluster.
struct SharedJob {
  std::vector<Rank> workers;  // of the cluster, by the job's ranks
  double start_s = 0;
  bool repeats = false;  // goes on until all other jobs have done their iterations
  /// The job by itself: its name, seed, length, workload and one algorithm. Its cluster is that of all jobs.
  Scenario scenario;
};

}  // namespace starling
