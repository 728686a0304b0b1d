#include "algorithms/collectives/schedules/ring.hpp"

#include <doctest/doctest.h>

#include "tests/algorithms/collectives/all_schedules.hpp"

namespace starling {

TEST_CASE("neighbors in a ring are next to each other and wrap around") {
  CHECK_EQ(Ring(2, 5).right(), 3);
  CHECK_EQ(Ring(4, 5).right(), 0);
  CHECK_EQ(Ring(0, 5).left(), 4);
  CHECK_EQ(Ring(3, 5).left(), 2);
  CHECK_EQ(Ring(0, 1).right(), 0);
}

TEST_CASE("counting backward in a ring wraps around any number of times") {
  const Ring ring(1, 4);
  CHECK_EQ(ring.behind(0), 1);
  CHECK_EQ(ring.behind(1), 0);
  CHECK_EQ(ring.behind(2), 3);
  CHECK_EQ(ring.behind(5), 0);
  CHECK_EQ(ring.behind(8), 1);
}

TEST_CASE("the last message that a rank receives in a ring reduce-scatter completes its own chunk") {
  const RingSchedule schedule(RingSchedule::Phase::reduce_scatter, 4, 10);
  const Round last = schedule.round(1, 2);
  CHECK_EQ(last.receive.peer, 0);
  CHECK_EQ(last.receive.chunk.offset, 3);
  CHECK_EQ(last.receive.chunk.count, 3);
  CHECK_EQ(static_cast<int>(last.action), static_cast<int>(Round::Action::reduce));
}

TEST_CASE("a ring all-gather begins with a rank's own chunk") {
  const RingSchedule schedule(RingSchedule::Phase::allgather, 4, 10);
  CHECK_EQ(schedule.round(3, 0).send.chunk.offset, 8);
  CHECK_EQ(schedule.round(3, 0).send.peer, 0);
  CHECK_EQ(static_cast<int>(schedule.round(3, 0).action), static_cast<int>(Round::Action::copy));
}

TEST_CASE("in a schedule that counts as a ring every rank sends to the next one only") {
  constexpr int ranks = 5;
  int rings = 0;
  for (const ScheduleCase& one : all_schedules(ranks, 1000)) {
    if (!one.schedule->is_ring()) continue;
    ++rings;
    for (Rank rank = 0; rank < ranks; ++rank)
      for (int i = 0; i < one.schedule->rounds(rank); ++i)
        CHECK_EQ(one.schedule->round(rank, i).send.peer, Ring(rank, ranks).right());
  }
  CHECK(rings >= 3);  // an all-reduce and its halves
}

TEST_CASE("a ring of one rank has no rounds") {
  CHECK_EQ(RingSchedule(RingSchedule::Phase::allreduce, 1, 10).rounds(0), 0);
}

}  // namespace starling
