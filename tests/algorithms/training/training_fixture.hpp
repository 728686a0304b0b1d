#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "algorithms/training/every_algorithm.hpp"
#include "algorithms/training/registry.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "topologies/networks/network.hpp"
#include "workloads/learning/replica.hpp"
#include "workloads/records/participation.hpp"

namespace starling {

/// A layer of a made-up model.
struct LayerSpec {
  std::vector<std::int64_t> tensors;  // elements
  double forward_s = 0;
  double backward_s = 0;
};

Workload workload_of(const std::vector<LayerSpec>& layers, double optimizer_s_per_byte = 0);

/// A workload of odd sizes, with a layer without tensors and a tensor smaller than the number of workers.
Workload odd_workload();

/// A model of `layers` layers of up to two tensors each (some of none), whose sizes are multiples of
/// `multiple` up to `largest` elements, and whose times are up to 10 ms forward and 20 ms backward.
Workload random_workload(std::uint64_t seed, int layers, std::int64_t multiple, std::int64_t largest);

/// Workers on a star, one per host.
struct StarCluster {
  int workers = 2;
  double alpha_s = 0;  // between two workers
  double bandwidth_Bps = 1e9;
  double gamma_s_per_byte = 0;

  ClusterFacts facts() const;
  Network network() const;
};

/// What a run leaves behind.
struct Trained {
  IterationLog log;
  RunStatistics statistics;
  std::vector<std::vector<float>> parameters;  // of every rank, if real

  /// When `iteration` ended on the last worker.
  double end_s(std::int64_t iteration) const;
};

/// What a test may change of a run.
struct TrainingSetup {
  StarCluster cluster = {};
  std::int64_t iterations = 1;
  std::function<Load(Rank, std::int64_t)> load = {};
  TraceSink* trace = nullptr;
  /// Makes the replica of a rank; sized, if empty.
  std::function<Replica(Rank)> replica = {};
  ParticipationLog* participation = nullptr;
};

Trained train(const TrainingOptions& options, const Workload& workload, const TrainingSetup& setup);

/// Trains all `workers` of a world, which has not run yet; of the setup, cluster and trace are the world's.
Trained train_in(SimulatedWorld& world, int workers, const TrainingAlgorithm& algorithm,
                 const Workload& workload, const TrainingSetup& setup, std::uint64_t seed = 0);

/// Checks that every worker logged that many iterations, and that the parts of each sum to its length.
void check_accounts(const IterationLog& log, int workers, std::size_t iterations);

}  // namespace starling
