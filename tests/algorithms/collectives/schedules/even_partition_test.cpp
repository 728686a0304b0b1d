#include "algorithms/collectives/schedules/even_partition.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace starling {

TEST_CASE("an even partition puts the larger chunks first") {
  const EvenPartition partition(11, 4);
  CHECK_EQ(partition.chunk(0).count, 3);
  CHECK_EQ(partition.chunk(2).count, 3);
  CHECK_EQ(partition.chunk(3).offset, 9);
  CHECK_EQ(partition.chunk(3).count, 2);
}

TEST_CASE("fewer elements than chunks leave chunks empty") {
  const EvenPartition partition(2, 4);
  CHECK_EQ(partition.chunk(1).count, 1);
  CHECK_EQ(partition.chunk(2).count, 0);
  CHECK_EQ(partition.chunk(3).offset, 2);
}

TEST_CASE(
    "chunks of an even partition follow each other, differ by at most one element and cover all elements") {
  CHECK(rc::check([] {
    const auto count = *rc::gen::inRange<std::int64_t>(0, 100000);
    const int chunks = *rc::gen::inRange(1, 300);
    const EvenPartition partition(count, chunks);
    std::int64_t next = 0;
    for (int index = 0; index < chunks; ++index) {
      const Chunk chunk = partition.chunk(index);
      RC_ASSERT(chunk.offset == next);
      RC_ASSERT(chunk.count == count / chunks || chunk.count == count / chunks + 1);
      next += chunk.count;
    }
    RC_ASSERT(next == count);
  }));
}

TEST_CASE("a range of chunks of an even partition is their union") {
  const EvenPartition partition(11, 4);
  CHECK_EQ(partition.range(1, 2).offset, 3);
  CHECK_EQ(partition.range(1, 2).count, 6);
  CHECK_EQ(partition.range(2, 0).count, 0);
  CHECK_EQ(partition.range(0, 4).count, 11);
}

TEST_CASE("an even partition into no chunks is refused") {
  CHECK_THROWS_AS(EvenPartition(1, 0), InvariantError);
}

}  // namespace starling
