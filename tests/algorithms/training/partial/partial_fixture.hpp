#pragma once

#include <limits>

#include "algorithms/training/every_algorithm.hpp"
#include "tests/algorithms/training/training_fixture.hpp"
#include "workloads/records/participation.hpp"

namespace starling {

/// A network without latency and of 10¹⁸ B/s, on which messages take no time worth mentioning.
inline StarCluster free_network(int workers) { return {workers, 0, 1e18, 0}; }

/// One layer of one tensor; forward takes a third of `compute_s`.
Workload single_tensor(std::int64_t elements, double compute_s);

/// What a run of an algorithm that does not wait for everyone leaves behind.
struct PartialRun {
  Trained trained;
  ParticipationLog participation;

  /// Mean over workers of the time from the end of iteration `warmup`−1 to the end, per iteration.
  double mean_iteration_s(std::int64_t warmup = 0) const;
};

/// What a message costs at its ends, where that is not nothing; γ is the cluster's.
struct MessageEnds {
  double overhead_s = 0;
  double eager_threshold_bytes = std::numeric_limits<double>::infinity();
};

PartialRun train(const EagerOptions& options, const Workload& workload, const TrainingSetup& setup,
                 std::uint64_t seed = 1, const MessageEnds& ends = {});
PartialRun train(const WagmaOptions& options, const Workload& workload, const TrainingSetup& setup,
                 std::uint64_t seed = 1, const MessageEnds& ends = {});

/// Runs `body` on every rank of the cluster. Returns the statistics of the run.
RunStatistics run_on(const StarCluster& cluster, const std::function<void(Worker&)>& body);

/// Delays each worker with this probability, independently, before each iteration.
std::function<Load(Rank, std::int64_t)> independent_delays(double probability, double delay_s,
                                                           std::uint64_t seed);

/// The mean iteration time in seconds if workers wait for each other only at the end of every period: the
/// time without delays, plus the largest sum of a worker's delays in each period.
double periods_of_slowest_s(const TrainingSetup& setup, double base_s, std::int64_t period);

/// The expected value of periods_of_slowest_s(): base + E[M]·delay / period, where M is the largest of P
/// binomial numbers of `period` trials.
double expected_periods_s(int workers, double probability, double delay_s, double base_s, int period);

}  // namespace starling
