#include <doctest/doctest.h>

#include "gossip_fixture.hpp"

namespace starling {
namespace {

using Counts = std::vector<std::int64_t>;

const Workload ten_ms = one_layer(25'000, 0.004, 0.006);

ParticipationLog participation_of(const TrainingAlgorithm& algorithm, TrainingSetup setup) {
  ParticipationLog log(setup.cluster.workers);
  setup.participation = &log;
  run_algorithm(algorithm, ten_ms, setup);
  return log;
}

/// A load under which rank 0 takes `factor` times as long as the others.
std::function<Load(Rank, std::int64_t)> slow_first(double factor) {
  return [=](Rank rank, std::int64_t) { return Load{.delay_s = 0, .factor = rank == 0 ? factor : 1}; };
}

TEST_CASE("all workers take part in the averages of local SGD, with their newest work") {
  const StarCluster cluster{.workers = 5};
  const ParticipationLog log =
      participation_of(*make_algorithm(LocalSgdOptions{.sync_period = 3}, ten_ms, cluster.facts()),
                       {.cluster = cluster, .iterations = 10, .load = slow_first(2.5)});
  CHECK(log.active_workers_histogram() == Counts{0, 0, 0, 0, 0, 3});
  CHECK(log.staleness_histogram() == Counts{15});
  CHECK(log.iterations() == Counts(5, 10));
  // The others end two iterations in 20 ms, rank 0 none; then all wait for it.
  CHECK(log.max_lead_iterations() == 2);
}

TEST_CASE("an operation of D-PSGD is one worker's average with its neighbors, never stale") {
  const StarCluster cluster{.workers = 6};
  for (const bool overlap : {false, true}) {
    const ParticipationLog log =
        participation_of(Dpsgd({.overlap = overlap}, ring_of(6)),
                         {.cluster = cluster, .iterations = 4, .load = slow_first(100)});
    CHECK(log.active_workers_histogram() == Counts{0, 0, 0, 4 * 6, 0, 0, 0});
    CHECK(log.stale_contributions() == 0);
    // Rank 3 is three edges from rank 0, whose model leaves at the beginning of an iteration, or after its
    // backward pass.
    CHECK(log.max_lead_iterations() == (overlap ? 3 : 2));
  }
}

TEST_CASE("a worker without neighbors in an iteration counts no average, in D-PSGD and in SGP") {
  // With one worker a host, averages inside hosts find nobody: every second iteration.
  const StarCluster cluster{.workers = 4};
  const MixingOptions alternating{.graph = AlternatingExponentialRingGraph{}};
  const auto log_of = [&](const TrainingOptions& options) {
    return participation_of(*options.make(ten_ms, cluster.facts()), {.cluster = cluster, .iterations = 8});
  };
  const Counts pairs{0, 0, 4 * 4, 0, 0};
  CHECK(log_of(DpsgdOptions{.mixing = alternating}).active_workers_histogram() == pairs);
  CHECK(log_of(SgpOptions{.mixing = alternating}).active_workers_histogram() == pairs);
}

TEST_CASE("models that SGP with overlap τ pushed are τ iterations old, and those taken at the end less") {
  const StarCluster cluster{.workers = 8};
  const auto log_of = [&](int overlap) {
    return participation_of(
        *make_algorithm(SgpOptions{.neighbors = 2, .overlap = overlap}, ten_ms, cluster.facts()),
        {.cluster = cluster, .iterations = 6});
  };
  const ParticipationLog waiting = log_of(0);
  CHECK(waiting.active_workers_histogram()[3] == 6 * 8);
  CHECK(waiting.stale_contributions() == 0);
  // Pushed in iterations 0, 2, 4, taken in iterations 2, 4 and after iteration 5.
  const ParticipationLog overlapping = log_of(2);
  CHECK(overlapping.active_workers_histogram()[1] == 3 * 8);
  CHECK(overlapping.fresh_contributions() == 3 * 8);
  CHECK(overlapping.staleness_histogram() == Counts{3 * 8, 2 * 8, 2 * 2 * 8});
}

TEST_CASE("an operation of decentralized Adam is the average of a bucket in a group") {
  const StarCluster cluster{.workers = 8};
  const auto log_of = [&](const char* graph) {
    return participation_of(
        *make_algorithm(DecentralizedAdamOptions{.graph = graph}, ten_ms, cluster.facts()),
        {.cluster = cluster, .iterations = 5});
  };
  // Nothing is averaged in the first iteration.
  CHECK(log_of("complete").active_workers_histogram() == Counts{0, 0, 0, 0, 0, 0, 0, 0, 4});
  CHECK(log_of("one_peer_exponential").active_workers_histogram() == Counts{0, 0, 4 * 4, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a model that AD-PSGD averages with one of more iterations is older by the difference") {
  // Rank 0 is active and ends its iterations at 16, 32, 48 ms, rank 1 at 10, 20, 30 ms. Rank 0 asks with 1, 2
  // and 3 of them; models travel 1 ms, so rank 1 answers at 17, 33, 49 ms with 1, 3 and 3.
  const StarCluster cluster{2, 0, 1e8, 0};
  ParticipationLog log(2);
  run_algorithm(*make_algorithm(AdpsgdOptions{}, ten_ms, cluster.facts()), ten_ms,
                {.cluster = cluster, .iterations = 3, .load = slow_first(1.6), .participation = &log});
  CHECK(log.operations() == 3);
  CHECK(log.active_workers_histogram() == Counts{0, 1, 2});
  CHECK(log.staleness_histogram() == Counts{5, 1});
  CHECK(log.max_lead_iterations() == 2);
}

}  // namespace
}  // namespace starling
