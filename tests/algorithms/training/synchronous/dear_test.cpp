#include "algorithms/training/synchronous/dear.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "tests/algorithms/training/training_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// The times and bytes of a group of layers that the recursions need.
struct GroupTimes {
  double update_s;
  double forward_s;
  double ready_s;  // after the start of the backward pass
  double bytes;    // with padding
};

double sum(const std::vector<double>& seconds, int first, int end) {
  return std::accumulate(seconds.begin() + first, seconds.begin() + end, 0.0);
}

std::vector<GroupTimes> group_times(const Workload& workload, double bucket_bytes, int workers) {
  const int layers = static_cast<int>(workload.model.layers.size());
  Replica sizes(workload);
  std::vector<GroupTimes> times;
  for (const LayerGroup& group : layer_groups(workload, bucket_bytes)) {
    const std::int64_t elements = sizes.elements(group.tensors);
    times.push_back({.update_s = workload.update_s(elements),
                     .forward_s = sum(workload.forward_s, group.first_layer, group.end_layer),
                     .ready_s = sum(workload.backward_s, group.first_layer, layers),
                     .bytes = workload.bytes_per_element * static_cast<double>(padded(elements, workers))});
  }
  return times;
}

/// The forward time of the layers before the first group, in seconds.
double leading_forward_s(const Workload& workload, double bucket_bytes) {
  const auto groups = layer_groups(workload, bucket_bytes);
  return sum(workload.forward_s, 0, groups.empty() ? 0 : groups.front().first_layer);
}

double reduce_scatter_s(const StarCluster& cluster, double bytes) {
  return cost::ring_reduce_scatter(cluster.workers, bytes, cluster.facts().costs);
}
double allgather_s(const StarCluster& cluster, double bytes) {
  return cost::ring_allgather(cluster.workers, bytes, cluster.facts().costs);
}

/// RSend(g) = max(ready(g), RSend(g+1)) + T_RS(m_g); returns the global point max(BPend, RSend(0)).
double global_point_s(const Workload& workload, const std::vector<GroupTimes>& groups,
                      const StarCluster& cluster, double backward_start_s) {
  double reduced_s = 0;
  for (std::size_t g = groups.size(); g-- > 0;) {
    reduced_s = std::max(backward_start_s + groups[g].ready_s, reduced_s) +
                reduce_scatter_s(cluster, groups[g].bytes);
  }
  return std::max(backward_start_s + workload.backward_total_s(), reduced_s);
}

/// The recursion as published, in which nothing holds an all-gather up but the one before it:
/// AGend(g) = AGend(g−1) + T_AG(m_g) from the global point, FFstart(g) = max(FFend(g−1), AGend(g)) +
/// update(g). Returns the global points.
std::vector<double> published_recursion(const Workload& workload, double bucket_bytes,
                                        const StarCluster& cluster, int iterations) {
  const auto groups = group_times(workload, bucket_bytes, cluster.workers);
  std::vector<double> ends = {global_point_s(workload, groups, cluster, workload.forward_total_s())};
  while (static_cast<int>(ends.size()) < iterations) {
    double gathered_s = ends.back();
    double computed_s = ends.back() + leading_forward_s(workload, bucket_bytes);
    for (const GroupTimes& group : groups) {
      gathered_s += allgather_s(cluster, group.bytes);
      computed_s = std::max(computed_s, gathered_s) + group.update_s + group.forward_s;
    }
    ends.push_back(global_point_s(workload, groups, cluster, computed_s));
  }
  return ends;
}

/// The same where the all-gather of group g+depth is issued when group g is complete and the GPU has computed
/// the groups before it.
std::vector<double> prefetch_recursion(const Workload& workload, double bucket_bytes,
                                       const StarCluster& cluster, int iterations, std::size_t depth) {
  const auto groups = group_times(workload, bucket_bytes, cluster.workers);
  std::vector<double> ends = {global_point_s(workload, groups, cluster, workload.forward_total_s())};
  while (static_cast<int>(ends.size()) < iterations) {
    std::vector<double> issued_s(groups.size(), ends.back());
    double gathered_s = ends.back();
    double computed_s = ends.back() + leading_forward_s(workload, bucket_bytes);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      gathered_s = std::max(gathered_s, issued_s[g]) + allgather_s(cluster, groups[g].bytes);
      const double reached_s = std::max(computed_s, gathered_s);
      if (g + depth < groups.size()) issued_s[g + depth] = reached_s;
      computed_s = reached_s + groups[g].update_s + groups[g].forward_s;
    }
    ends.push_back(global_point_s(workload, groups, cluster, computed_s));
  }
  return ends;
}

void check_ends(const Trained& trained, const std::vector<double>& expected_s) {
  for (std::size_t i = 0; i < expected_s.size(); ++i) {
    CHECK(trained.end_s(static_cast<std::int64_t>(i)) == about(expected_s[i], rounding_of_sums));
  }
}

TEST_CASE("iterations of DeAR end when the published recursion says") {
  for (const int workers : {1, 2, 3, 4, 8}) {
    for (const double bandwidth_Bps : {2e8, 1e9, 1e10}) {
      for (const double bucket_bytes : {0.0, 3e6, 1e9}) {
        const StarCluster cluster{workers, 2e-5, bandwidth_Bps, 1e-11};
        // Sizes that no worker count but 1 divides, so that groups are padded.
        const Workload workload = random_workload(static_cast<std::uint64_t>(workers), 16, 1, 600'000);
        const DearOptions options{.bucket_bytes = bucket_bytes};
        CAPTURE(workers);
        CAPTURE(bandwidth_Bps);
        CAPTURE(bucket_bytes);
        check_ends(train(options, workload, {.cluster = cluster, .iterations = 4}),
                   published_recursion(workload, bucket_bytes, cluster, 4));
      }
    }
  }
}

TEST_CASE(
    "without launching ahead an all-gather of DeAR also waits for the GPU to reach the prefetch depth") {
  int differences = 0;
  for (const std::size_t depth : {1U, 2U, 3U}) {
    for (const int workers : {2, 4, 7}) {
      for (const double bandwidth_Bps : {3e8, 1e9, 3e9}) {
        const StarCluster cluster{workers, 2e-5, bandwidth_Bps, 1e-11};
        const Workload workload = random_workload(depth, 16, 1, 600'000);
        const DearOptions options{
            .bucket_bytes = 1e6, .prefetch_depth = static_cast<int>(depth), .launch_ahead = false};
        const auto expected_s = prefetch_recursion(workload, 1e6, cluster, 3, depth);
        if (expected_s != published_recursion(workload, 1e6, cluster, 3)) ++differences;
        CAPTURE(depth);
        CAPTURE(workers);
        CAPTURE(bandwidth_Bps);
        check_ends(train(options, workload, {.cluster = cluster, .iterations = 3}), expected_s);
      }
    }
  }
  CHECK(differences > 0);
}

/// The collectives of two workers, message by message: each sends half of the bytes, which leave after what
/// it sent before; a collective ends at a worker when the other's half has arrived and is reduced.
struct PairOfStreams {
  const StarCluster& cluster;
  std::array<double, 2> link_free_s = {};
  std::array<double, 2> end_s = {};

  void run(const std::array<double, 2>& issued_s, double bytes, bool reduces) {
    std::array<double, 2> arrived_s = {};
    for (std::size_t r = 0; r < 2; ++r) {
      end_s[r] = std::max(end_s[r], issued_s[r]);
      link_free_s[r] = std::max(link_free_s[r], end_s[r]) + bytes / 2 / cluster.bandwidth_Bps;
      arrived_s[1 - r] = link_free_s[r] + cluster.alpha_s;
    }
    for (std::size_t r = 0; r < 2; ++r) {
      end_s[r] = std::max(end_s[r], arrived_s[r]) + (reduces ? bytes / 2 * cluster.gamma_s_per_byte : 0);
    }
  }
};

/// The ends of all iterations of two workers whose compute times differ by `factor`.
std::vector<std::array<double, 2>> pair_recursion(const Workload& workload, double bucket_bytes,
                                                  const StarCluster& cluster,
                                                  const std::array<double, 2>& factor, int iterations) {
  const auto groups = group_times(workload, bucket_bytes, 2);
  PairOfStreams streams{.cluster = cluster};
  std::vector<std::array<double, 2>> ends;
  for (int i = 0; i < iterations; ++i) {
    std::array<double, 2> now = {};
    for (std::size_t r = 0; r < 2; ++r) {
      now[r] = i == 0 ? factor[r] * workload.forward_total_s()
                      : ends.back()[r] + factor[r] * leading_forward_s(workload, bucket_bytes);
    }
    for (std::size_t g = 0; i > 0 && g < groups.size(); ++g) {
      streams.run(ends.back(), groups[g].bytes, false);
      for (std::size_t r = 0; r < 2; ++r) {
        now[r] = std::max(now[r], streams.end_s[r]) + groups[g].update_s + factor[r] * groups[g].forward_s;
      }
    }
    for (std::size_t g = groups.size(); g-- > 0;) {
      streams.run({now[0] + factor[0] * groups[g].ready_s, now[1] + factor[1] * groups[g].ready_s},
                  groups[g].bytes, true);
    }
    for (std::size_t r = 0; r < 2; ++r) {
      now[r] = std::max(now[r] + factor[r] * workload.backward_total_s(), streams.end_s[r]);
    }
    ends.push_back(now);
  }
  return ends;
}

TEST_CASE("iterations of DeAR on two unequally fast workers end when the recursion over both says") {
  for (const double slow : {1.0, 1.3, 2.0, 10.0}) {
    for (const double bandwidth_Bps : {2e8, 1e9, 1e10}) {
      for (const double bucket_bytes : {0.0, 3e6}) {
        const StarCluster cluster{2, 2e-5, bandwidth_Bps, 1e-11};
        const Workload workload = random_workload(5, 16, 1, 600'000);
        const Trained trained =
            train(DearOptions{.bucket_bytes = bucket_bytes}, workload,
                  {.cluster = cluster, .iterations = 4, .load = [slow](Rank rank, std::int64_t) {
                     return Load{.delay_s = 0, .factor = rank == 1 ? slow : 1};
                   }});
        const auto expected_s = pair_recursion(workload, bucket_bytes, cluster, {1, slow}, 4);
        CAPTURE(slow);
        CAPTURE(bandwidth_Bps);
        CAPTURE(bucket_bytes);
        for (std::size_t i = 0; i < 4; ++i) {
          CHECK(trained.log.of(0)[i].end_s == about(expected_s[i][0], rounding_of_sums));
          CHECK(trained.log.of(1)[i].end_s == about(expected_s[i][1], rounding_of_sums));
        }
      }
    }
  }
}

// Two layers of 8 bytes and two workers 1 second and 1 byte per second apart: halves of a layer take 1 + 4 =
// 5 s.
const Workload tiny = workload_of({{{2}, 10, 20}, {{2}, 10, 20}});
const StarCluster slow_pair = {.workers = 2, .alpha_s = 1, .bandwidth_Bps = 1};

TEST_CASE("with a device synchronization an iteration of DeAR ends after the first all-gather") {
  const DearOptions free{.bucket_bytes = 0};
  const DearOptions synchronized{.bucket_bytes = 0, .sync_each_iteration = true};
  const auto delay = [](Rank, std::int64_t) { return Load{.delay_s = 3}; };

  // Forward 3 … 23, layer 1 ready at 43 and reduced at 48, layer 0 at 63 and 68: the global point.
  const Trained without = train(free, tiny, {.cluster = slow_pair, .iterations = 2, .load = delay});
  CHECK(without.end_s(0) == about(68, rounding_of_sums));
  // All-gather 0 until 73, hiding the delay; layer 0 until 83; all-gather 1 meanwhile; layer 1 until 93, 133
  // + 5.
  CHECK(without.end_s(1) == about(138, rounding_of_sums));
  CHECK(without.log.of(0)[1].blocked_s == about(2 + 5, rounding_of_sums));

  const Trained with = train(synchronized, tiny, {.cluster = slow_pair, .iterations = 2, .load = delay});
  CHECK(with.end_s(0) == about(73, rounding_of_sums));
  // The delay follows the synchronization: 76, 96, 136 + 5, and all-gather 0 until 146.
  CHECK(with.end_s(1) == about(146, rounding_of_sums));
}

TEST_CASE("all-gathers of DeAR beyond the prefetch depth wait for a delay before the forward pass") {
  // Global point at 45; all-gather 0 until 50; the forward pass, which takes no time, begins at 145.
  const Workload workload = workload_of({{{2}, 0, 20}, {{2}, 0, 20}});
  const auto delay = [](Rank, std::int64_t iteration) {
    return Load{.delay_s = iteration == 0 ? 0.0 : 100.0};
  };
  const auto forward_end_s = [&](int depth) {
    const DearOptions options{.bucket_bytes = 0, .prefetch_depth = depth};
    return train(options, workload, {.cluster = slow_pair, .iterations = 2, .load = delay}).end_s(1) - 40 - 5;
  };
  CHECK(forward_end_s(1) == about(145 + 5, rounding_of_sums));
  CHECK(forward_end_s(2) == about(145, rounding_of_sums));
}

TEST_CASE("DeAR's all-gathers and updates of the last iteration come after its end") {
  const Trained trained = train(DearOptions{.bucket_bytes = 0}, tiny, {.cluster = slow_pair});
  CHECK(trained.end_s(0) == about(65, rounding_of_sums));
  CHECK(trained.statistics.makespan_s == about(65 + 2 * 5, rounding_of_sums));
}

TEST_CASE("without iterations or tensors DeAR waits for nothing") {
  CHECK(train(DearOptions{}, tiny, {.cluster = slow_pair, .iterations = 0}).statistics.makespan_s == 0);
  const Workload bare = workload_of({{{}, 1, 2}});
  CHECK(train(DearOptions{}, bare, {.cluster = slow_pair, .iterations = 2}).end_s(1) == 6);
}

}  // namespace
}  // namespace starling
