#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/collectives/schedules/chain.hpp"
#include "algorithms/collectives/schedules/dissemination_barrier.hpp"
#include "algorithms/collectives/schedules/double_tree.hpp"
#include "algorithms/collectives/schedules/halving_doubling.hpp"
#include "algorithms/collectives/schedules/hierarchical.hpp"
#include "base/numbers/power_of_two.hpp"
#include "tests/algorithms/collectives/checker.hpp"

namespace starling {

/// Numbers of ranks that reach every case of a schedule: powers of two, one more, one less, and odd and even
/// ones in between.
inline constexpr std::array test_ranks{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 64};
inline constexpr std::array<std::int64_t, 4> test_counts{0, 1, 7, 1000};

/// A schedule and what it must achieve.
struct ScheduleCase {
  std::unique_ptr<Schedule> schedule;
  Expectation expectation;
};

/// Every kind of all-reduce for that many ranks: the double tree with its own number of segments and with 1,
/// 3 and 10, the hierarchical one for hosts of 1 to 4 workers with every kind between hosts.
inline std::vector<std::unique_ptr<Schedule>> all_allreduces(int ranks, std::int64_t count) {
  std::vector<std::unique_ptr<Schedule>> schedules;
  for (const CollectiveKind kind : collective_kinds()) {
    if (kind == CollectiveKind::hierarchical) continue;
    schedules.push_back(make_allreduce(kind, ranks, count));
  }
  for (const int segments : {1, 3, 10}) {
    schedules.push_back(std::make_unique<DoubleTreeAllReduce>(ranks, count, segments));
  }
  for (const int workers_per_host : {1, 2, 3, 4}) {
    if (ranks % workers_per_host != 0) continue;
    for (const CollectiveKind between : collective_kinds()) {
      if (between == CollectiveKind::hierarchical) continue;
      const EvenPartition chunks(count, workers_per_host);
      const auto make_between = [&](int chunk) {
        return make_allreduce(between, ranks / workers_per_host, chunks.chunk(chunk).count);
      };
      schedules.push_back(std::make_unique<HierarchicalAllReduce>(
          ranks, count, workers_per_host, make_between(0), make_between(workers_per_host - 1)));
    }
  }
  return schedules;
}

/// Every collective for that many ranks.
inline std::vector<ScheduleCase> all_schedules(int ranks, std::int64_t count) {
  using What = Expectation::What;
  std::vector<ScheduleCase> cases;
  for (std::unique_ptr<Schedule>& schedule : all_allreduces(ranks, count)) {
    cases.push_back({std::move(schedule), {.what = What::allreduce}});
  }
  for (const CollectiveKind kind : {CollectiveKind::ring, CollectiveKind::halving_doubling}) {
    if (kind == CollectiveKind::halving_doubling && !is_power_of_two(ranks)) continue;
    std::vector<int> chunks;
    for (Rank rank = 0; kind == CollectiveKind::halving_doubling && rank < ranks; ++rank)
      chunks.push_back(chunk_left_with(rank, ranks));
    cases.push_back(
        {make_reduce_scatter(kind, ranks, count), {.what = What::reduce_scatter, .chunks = chunks}});
    cases.push_back({make_allgather(kind, ranks, count), {.what = What::allgather, .chunks = chunks}});
  }
  for (const Rank root : {0, ranks / 2, ranks - 1}) {
    cases.push_back({make_broadcast(ranks, count, root), {.what = What::broadcast, .root = root}});
    cases.push_back({make_reduce(ranks, count, root), {.what = What::reduce, .root = root}});
  }
  for (const int segments : {1, 2, 9}) {
    cases.push_back({std::make_unique<ChainBroadcast>(ranks, count, segments), {.what = What::broadcast}});
  }
  cases.push_back({std::make_unique<DisseminationBarrier>(ranks), {.what = What::barrier}});
  return cases;
}

}  // namespace starling
