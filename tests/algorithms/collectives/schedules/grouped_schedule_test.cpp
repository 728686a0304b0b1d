#include "algorithms/collectives/schedules/grouped_schedule.hpp"

#include <doctest/doctest.h>

#include "algorithms/collectives/collectives.hpp"
#include "base/errors.hpp"
#include "tests/algorithms/collectives/checker.hpp"

namespace starling {
namespace {

TEST_CASE("an all-reduce in every group leaves each group's sum, whatever the sizes of the groups") {
  RankPartition partition(7);
  partition.add_group(std::vector<Rank>{5, 0, 3});
  partition.add_group(std::vector<Rank>{1});
  partition.add_group(std::vector<Rank>{6, 4});
  partition.add_group(std::vector<Rank>{2});
  for (const std::int64_t count : {0, 1, 2, 10}) {
    const auto three = make_allreduce(CollectiveKind::ring, 3, count);
    const auto two = make_allreduce(CollectiveKind::recursive_doubling, 2, count);
    const auto one = make_allreduce(CollectiveKind::ring, 1, count);
    const GroupedSchedule schedule(partition, {three.get(), one.get(), two.get(), one.get()});
    CAPTURE(count);
    CHECK(schedule.ranks() == 7);
    CHECK(schedule.count() == count);
    const auto problem = find_violation(schedule, {.group = {0, 1, 3, 0, 2, 0, 2}});
    CHECK_MESSAGE(!problem, problem.value_or(""));
  }
}

TEST_CASE("a ring in a single group of all ranks counts as a ring") {
  RankPartition all(3);
  all.add_group(std::vector<Rank>{2, 0, 1});
  RankPartition two(3);
  two.add_group(std::vector<Rank>{2, 0});
  two.add_group(std::vector<Rank>{1});
  const auto ring = make_allreduce(CollectiveKind::ring, 3, 10);
  const auto others = make_allreduce(CollectiveKind::recursive_doubling, 3, 10);
  const auto half = make_allreduce(CollectiveKind::ring, 2, 10);
  const auto one = make_allreduce(CollectiveKind::ring, 1, 10);
  CHECK(GroupedSchedule(all, {ring.get()}).is_ring());
  CHECK_FALSE(GroupedSchedule(all, {others.get()}).is_ring());
  CHECK_FALSE(GroupedSchedule(two, {half.get(), one.get()}).is_ring());
}

TEST_CASE("a rank cannot be in two groups") {
  RankPartition partition(3);
  partition.add_group(std::vector<Rank>{0, 2});
  CHECK_THROWS_AS(partition.add_group(std::vector<Rank>{1, 2}), InvariantError);
}

}  // namespace
}  // namespace starling
