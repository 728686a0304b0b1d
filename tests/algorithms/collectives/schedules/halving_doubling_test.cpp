#include "algorithms/collectives/schedules/halving_doubling.hpp"

#include <doctest/doctest.h>

namespace starling {

TEST_CASE("recursive halving keeps the half in which the rank's own chunk lies and sends the other half") {
  const Halving halving(5, 8);
  CHECK_EQ(halving.kept(0).first, 0);
  CHECK_EQ(halving.kept(0).chunks, 8);
  CHECK_EQ(halving.given(0).first, 0);
  CHECK_EQ(halving.given(0).chunks, 4);
  CHECK_EQ(halving.kept(1).first, 4);
  CHECK_EQ(halving.given(1).first, 6);
  CHECK_EQ(halving.kept(2).first, 4);
  CHECK_EQ(halving.given(2).first, 4);
  CHECK_EQ(halving.kept(3).first, 5);
  CHECK_EQ(halving.kept(3).chunks, 1);
}

TEST_CASE("the largest messages of a halving-doubling all-reduce go to the nearest rank") {
  const HalvingDoublingAllReduce schedule(8, 80);
  CHECK_EQ(schedule.round(2, 0).send.peer, 3);
  CHECK_EQ(schedule.round(2, 0).send.chunk.count, 40);
  CHECK_EQ(schedule.round(2, 2).send.peer, 6);
  CHECK_EQ(schedule.round(2, 2).send.chunk.count, 10);
  CHECK_EQ(schedule.round(2, 5).send.peer, 3);
  CHECK_EQ(schedule.round(2, 5).send.chunk.count, 40);
}

TEST_CASE("recursive halving and doubling alone leave a rank its chunk, and send most to the nearest rank") {
  using Phase = RecursiveHalvingSchedule::Phase;
  const RecursiveHalvingSchedule reduce_scatter(Phase::reduce_scatter, 8, 80);
  CHECK_EQ(chunk_left_with(6, 8), 3);
  CHECK_EQ(reduce_scatter.round(6, 0).send.peer, 7);
  CHECK_EQ(reduce_scatter.round(6, 0).send.chunk.count, 40);
  CHECK_EQ(reduce_scatter.round(6, 2).send.peer, 2);
  CHECK_EQ(reduce_scatter.round(6, 2).receive.chunk.offset, 30);
  const RecursiveHalvingSchedule allgather(Phase::allgather, 8, 80);
  CHECK_EQ(allgather.round(6, 0).send.peer, 2);
  CHECK_EQ(allgather.round(6, 0).send.chunk.offset, 30);
  CHECK_EQ(allgather.round(6, 2).send.peer, 7);
  CHECK_EQ(allgather.round(6, 2).send.chunk.count, 40);
}

}  // namespace starling
