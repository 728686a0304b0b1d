#pragma once

#include <nlohmann/json.hpp>

#include "analysis/reproduction/cluster_profile.hpp"
#include "analysis/reproduction/published_file.hpp"

namespace starling {

/// The samples of a worker's iteration, in the unit that the entry counts (samples, tokens, experience
/// steps).
struct PublishedBatch {
  double samples = 0;
  bool is_maximum = false;  // whether this is only the greatest size of batches
};

/// One job on the cluster of a published entry: the entry's own, its baseline, or its single GPU.
struct PublishedJob {
  const PublishedEntry& entry;
  const ClusterProfile& profile;
  nlohmann::json algorithm;  // as published
  int workers = 1;
  PublishedBatch batch;
  bool is_delayed = true;  // by the delays that the entry injects
};

/// The entry's batch per worker. @throws NotComparable if it states none.
PublishedBatch batch_of(const PublishedEntry& entry);

/// The delays that the entry injects, as causes of load imbalance; empty if there are none.
///
/// `random_ranks` with one rank delays exactly one. From two ranks on, the published injectors let every rank
/// draw on its own whether it is one of the k: independent delays with probability 1 − (1 − 1/P)^k. (All
/// ranks start with the same seed, but `rank == draw() or rank == draw()` draws once on some and twice on
/// others, so that their draws differ from then on.) `linear_skew` and `rotating_linear` delay rank r by min
/// + r · (max − min) / (P − 1), the latter rotated by one rank in every iteration. @throws NotComparable if
/// an amount is not stated, or the kind is none of these.
nlohmann::json imbalance_of_delay(const nlohmann::json& workload, int workers);

/// The profile's compute times for the job's model: see scenarios/clusters/README.md. Null if it has none.
const ProfileCompute* compute_of(const PublishedJob& job);

/// The cluster block of a scenario for the job, with what its software changes.
nlohmann::json cluster_of(const PublishedJob& job);
/// The algorithm block, likewise.
nlohmann::json algorithm_of(const PublishedJob& job);
/// The whole scenario. @throws NotComparable if there are no compute times for the model.
nlohmann::json scenario_of(const PublishedJob& job);
/// The document of the benchmark of a collective's latency. @throws NotComparable if the entry does not state
/// what the benchmark needs.
nlohmann::json benchmark_of(const PublishedJob& job);

}  // namespace starling
