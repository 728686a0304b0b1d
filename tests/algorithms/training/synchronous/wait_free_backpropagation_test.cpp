#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/algorithms/training/training_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

double bytes_of(const Workload& workload, TensorRange tensors) {
  return Replica(workload).gradients(tensors).bytes();
}

/// C(b) = max(ready(b), C(b−1)) + T_AR(m_b) for ring all-reduces, counted from the start of the iteration,
/// and the update after the last. `factor` is that of the slowest worker.
double iteration_s(const Workload& workload, const std::vector<Bucket>& buckets, const StarCluster& cluster,
                   double factor = 1) {
  double communication_end_s = 0;
  for (const Bucket& bucket : buckets) {
    double ready_s = workload.forward_total_s();
    for (std::size_t l = static_cast<std::size_t>(bucket.ready_layer); l < workload.backward_s.size(); ++l) {
      ready_s += workload.backward_s[l];
    }
    const double allreduce_s =
        cost::ring_allreduce(cluster.workers, bytes_of(workload, bucket.tensors), cluster.facts().costs);
    communication_end_s = std::max(factor * ready_s, communication_end_s) + allreduce_s;
  }
  const double update_s = workload.optimizer_s_per_byte * bytes_of(workload, Replica(workload).all());
  return std::max(factor * workload.compute_total_s(), communication_end_s) + update_s;
}

struct Variant {
  TrainingOptions options;
  std::vector<Bucket> buckets;
};

/// The algorithms that differ in their buckets only.
std::vector<Variant> variants(const Workload& workload, const StarCluster& cluster) {
  const AllreduceTime time{.start_up_s = cost::ring_allreduce(cluster.workers, 0, cluster.facts().costs),
                           .s_per_byte = cost::ring_allreduce(
                               cluster.workers, 1, {0, 1 / cluster.bandwidth_Bps, cluster.gamma_s_per_byte})};
  return {{AllreduceOptions{}, single_bucket(workload.model)},
          {WfbpOptions{}, bucket_per_tensor(workload.model)},
          {DdpOptions{.bucket_bytes = 4e6, .first_bucket_bytes = 1e6}, ddp_buckets(workload, 4e6, 1e6)},
          {MgWfbpOptions{}, merged_buckets(workload, time)},
          {MgWfbpOptions{.planned_start_up_s = 3e-3, .planned_bandwidth_Bps = 5e8},
           merged_buckets(workload, {.start_up_s = 3e-3, .s_per_byte = 2e-9})}};
}

TEST_CASE("an iteration takes the time of the recursion over buckets, on slow and fast networks") {
  for (const int workers : {1, 2, 3, 4, 8}) {
    for (const double bandwidth_Bps : {2e8, 1e9, 1e10}) {
      const StarCluster cluster{workers, 2e-5, bandwidth_Bps, 1e-11};
      const Workload workload = random_workload(static_cast<std::uint64_t>(workers), 15, 24, 600'000);
      for (const Variant& variant : variants(workload, cluster)) {
        const Trained trained = train(variant.options, workload, {.cluster = cluster, .iterations = 3});
        const double expected_s = iteration_s(workload, variant.buckets, cluster);
        CAPTURE(workers);
        CAPTURE(bandwidth_Bps);
        CAPTURE(variant.options.kind());
        for (int i = 0; i < 3; ++i) CHECK(trained.end_s(i) == about((i + 1) * expected_s, rounding_of_sums));
      }
    }
  }
}

/// The time at which computing for `seconds`, begun at begin_s, ends if it is 1 + slowdown times as slow
/// until slow_until_s.
double computed_s(double begin_s, double seconds, double slow_until_s, double slowdown) {
  const double slow_s = std::clamp(slow_until_s - begin_s, 0.0, seconds * (1 + slowdown));
  return begin_s + slow_s + seconds - slow_s / (1 + slowdown);
}

/// The same recursion where all workers compute 1 + s times as long while a bucket is under way.
double slowed_iteration_s(const Workload& workload, const std::vector<Bucket>& buckets,
                          const StarCluster& cluster, double slowdown) {
  double now_s = workload.forward_total_s();
  double communication_end_s = 0;
  auto layer = workload.backward_s.size();
  for (const Bucket& bucket : buckets) {
    double seconds = 0;
    while (layer > static_cast<std::size_t>(bucket.ready_layer)) seconds += workload.backward_s[--layer];
    now_s = computed_s(now_s, seconds, communication_end_s, slowdown);
    communication_end_s =
        std::max(now_s, communication_end_s) +
        cost::ring_allreduce(cluster.workers, bytes_of(workload, bucket.tensors), cluster.facts().costs);
  }
  double seconds = 0;
  while (layer > 0) seconds += workload.backward_s[--layer];
  now_s = computed_s(now_s, seconds, communication_end_s, slowdown);
  const double update_s = workload.optimizer_s_per_byte * bytes_of(workload, Replica(workload).all());
  return std::max(now_s, communication_end_s) + update_s;
}

TEST_CASE("a backward pass is slowed by exactly the buckets that are under way beside it") {
  for (const double bandwidth_Bps : {2e8, 1e9, 1e10}) {
    const StarCluster cluster{4, 2e-5, bandwidth_Bps, 1e-11};
    Workload workload = random_workload(11, 15, 24, 600'000);
    for (const Variant& variant : variants(workload, cluster)) {
      CAPTURE(bandwidth_Bps);
      CAPTURE(variant.options.kind());
      CHECK(slowed_iteration_s(workload, variant.buckets, cluster, 0) ==
            about(iteration_s(workload, variant.buckets, cluster), rounding_of_sums));
      for (const double slowdown : {0.1, 0.4}) {
        workload.communication_slowdown = slowdown;
        const Trained trained = train(variant.options, workload, {.cluster = cluster, .iterations = 2});
        const double expected_s = slowed_iteration_s(workload, variant.buckets, cluster, slowdown);
        CHECK(trained.end_s(1) == about(2 * expected_s, rounding_of_sums));
      }
    }
  }
}

TEST_CASE("a worker that is twice as slow determines when every all-reduce begins") {
  for (const int workers : {2, 5, 8}) {
    const StarCluster cluster{workers, 2e-5, 1e9, 1e-11};
    const Workload workload = random_workload(7, 15, 120, 600'000);
    const auto load = [](Rank rank, std::int64_t) {
      return Load{.delay_s = 0, .factor = rank == 1 ? 2.0 : 1.0};
    };
    for (const Variant& variant : variants(workload, cluster)) {
      if (workers > 2 && variant.buckets.size() > 1) continue;  // see the next test
      const Trained trained = train(variant.options, workload, {.cluster = cluster, .load = load});
      CAPTURE(workers);
      CAPTURE(variant.options.kind());
      CHECK(trained.end_s(0) == about(iteration_s(workload, variant.buckets, cluster, 2), rounding_of_sums));
    }
  }
}

TEST_CASE("behind a slow worker successive rings overlap by no more than their start-ups") {
  // The slow worker finds the first messages of the others waiting, and leaves a ring up to P−2 messages
  // before the last worker does; the next bucket begins there.
  const StarCluster cluster{8, 2e-5, 1e9, 1e-11};
  const Workload workload = random_workload(7, 15, 120, 600'000);
  const auto load = [](Rank rank, std::int64_t) {
    return Load{.delay_s = 0, .factor = rank == 1 ? 2.0 : 1.0};
  };
  for (const Variant& variant : variants(workload, cluster)) {
    const Trained trained = train(variant.options, workload, {.cluster = cluster, .load = load});
    const double expected_s = iteration_s(workload, variant.buckets, cluster, 2);
    const double overlap_s =
        static_cast<double>(variant.buckets.size()) * (cluster.workers - 2) * cluster.alpha_s;
    CAPTURE(variant.options.kind());
    CHECK(trained.end_s(0) <= expected_s * (1 + rounding_of_sums));
    CHECK(trained.end_s(0) >= expected_s - overlap_s);
  }
}

TEST_CASE("blocked time is the communication that the backward pass does not hide") {
  // Backward 20 ms per layer; a bucket of 8 MB takes 2(P−1)/P·8 ms = 8 ms with two workers, so only the last
  // is exposed.
  const Workload workload = workload_of({{{2'000'000}, 0.01, 0.02}, {{2'000'000}, 0.01, 0.02}});
  const Trained trained = train(WfbpOptions{}, workload, {.cluster = {2, 0, 1e9, 0}});
  const IterationRecord& record = trained.log.of(0).front();
  CHECK(record.forward_s == about(0.02, rounding_of_sums));
  CHECK(record.backward_s == about(0.04, rounding_of_sums));
  CHECK(record.ready_s == about(0.06, rounding_of_sums));
  CHECK(record.blocked_s == about(0.008, rounding_of_sums));
  CHECK(record.end_s == about(0.068, rounding_of_sums));
}

}  // namespace
}  // namespace starling
