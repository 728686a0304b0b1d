#include "algorithms/training/synchronous/bytescheduler.hpp"

#include <doctest/doctest.h>

#include "tests/algorithms/training/training_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("ByteScheduler partitions a tensor into the fewest equal pieces within the limit") {
  const Workload workload = workload_of({{{10, 3}, 1, 1}, {{}, 1, 1}, {{4}, 1, 1}});
  std::string text;
  for (const Partition& partition : partitions_of(workload, 16)) {
    text += std::to_string(partition.layer) + ":" + std::to_string(partition.offset) + "+" +
            std::to_string(partition.count) + " ";
  }
  CHECK(text == "0:0+4 0:4+3 0:7+3 0:10+3 2:13+4 ");
  CHECK(partitions_of(workload, 1e9).size() == 3);
  CHECK(partitions_of(workload_of({{{0}, 1, 1}}), 16).size() == 1);
}

TEST_CASE(
    "no partition of ByteScheduler is larger than the limit, also where that is no whole number of "
    "elements") {
  const auto counts_of = [](double partition_bytes) {
    std::vector<std::int64_t> counts;
    for (const Partition& partition : partitions_of(workload_of({{{5}, 1, 1}}), partition_bytes))
      counts.push_back(partition.count);
    return counts;
  };
  CHECK(counts_of(10) == std::vector<std::int64_t>{2, 2, 1});
  CHECK(counts_of(12) == std::vector<std::int64_t>{3, 2});
  CHECK(counts_of(3) == std::vector<std::int64_t>{1, 1, 1, 1, 1});
}

// Two workers, α = 0 and 1 byte per second: an all-reduce of m bytes takes m seconds, an announcement 4. The
// first layer is one partition of 16 bytes (0), the last one two (1, 2), ready at 102 and 112 s.
const StarCluster byte_a_second = {.workers = 2, .alpha_s = 0, .bandwidth_Bps = 1};
const Workload of_three_partitions = workload_of({{{4}, 1, 10}, {{8}, 1, 100}});

TEST_CASE("with little credit a late but urgent partition of ByteScheduler overtakes one that waits") {
  const ByteSchedulerOptions options{.partition_bytes = 16, .credit_bytes = 16};
  const Trained trained = train(options, of_three_partitions, {.cluster = byte_a_second, .iterations = 2});
  // Partition 1: announced at 102, exchanged until 122; then 0 until 142, then 2 until 162. Forward: 142 …
  // 143, 162 … 163.
  for (const Rank rank : {0, 1}) {
    const auto& records = trained.log.of(rank);
    CHECK(records[0].end_s == about(112, rounding_of_sums));
    CHECK(records[0].blocked_s == 0);
    CHECK(records[1].blocked_s == about((142 - 112) + (162 - 143), rounding_of_sums));
    CHECK(records[1].end_s == about(163 + 110, rounding_of_sums));
  }
}

TEST_CASE("with much credit partitions of ByteScheduler that were started cannot be overtaken") {
  const ByteSchedulerOptions options{.partition_bytes = 16, .credit_bytes = 48};
  const Trained trained = train(options, of_three_partitions, {.cluster = byte_a_second, .iterations = 2});
  // 1 and 2 are announced at 102 and exchanged until 146, as 0 is announced in between; 0 until 162.
  CHECK(trained.log.of(0)[1].blocked_s == about(162 - 112, rounding_of_sums));
  CHECK(trained.end_s(1) == about(164 + 110, rounding_of_sums));
}

TEST_CASE(
    "in ByteScheduler the forward pass of a layer waits for its own tensors only, and follows their update") {
  // Update 0.5 s per byte: 8 s for the first layer, 16 s for the last.
  const Workload updated = workload_of({{{4}, 100, 10}, {{8}, 1, 100}}, 0.5);
  const ByteSchedulerOptions options{.partition_bytes = 16, .credit_bytes = 16};
  const Trained trained = train(options, updated, {.cluster = byte_a_second, .iterations = 2});
  // As above 99 s later: 0 is there at 241 (the backward pass ends at 211), 2 at 261; layer 0 until 349,
  // layer 1 to 366.
  const IterationRecord& record = trained.log.of(0)[1];
  CHECK(record.blocked_s == about(241 - 211, rounding_of_sums));
  CHECK(record.update_s == about(24, rounding_of_sums));
  CHECK(record.forward_s == about(101, rounding_of_sums));
  CHECK(record.end_s == about(366 + 110, rounding_of_sums));
}

TEST_CASE("ByteScheduler's host time delays the forward pass, layer by layer") {
  ByteSchedulerOptions options{.partition_bytes = 16, .credit_bytes = 16};
  const Trained plain = train(options, of_three_partitions, {.cluster = byte_a_second});
  options.host_time_s = 30;
  const Trained held_up = train(options, of_three_partitions, {.cluster = byte_a_second});
  CHECK(held_up.end_s(0) == about(plain.end_s(0) + 30));
  CHECK(held_up.log.of(0)[0].forward_s == about(plain.log.of(0)[0].forward_s + 30));
  CHECK(held_up.log.of(0)[0].blocked_s == about(plain.log.of(0)[0].blocked_s));
}

TEST_CASE(
    "every worker of ByteScheduler exchanges in the order of rank 0, each partition when it is ready there "
    "too") {
  const ByteSchedulerOptions options{.partition_bytes = 16, .credit_bytes = 16};
  const auto load = [](Rank rank, std::int64_t) { return Load{.delay_s = rank == 1 ? 1000.0 : 0}; };
  const Trained trained =
      train(options, of_three_partitions, {.cluster = byte_a_second, .iterations = 2, .load = load});
  // Partition 1 was announced long ago: rank 1 begins at 1102, and as rank 0's half is there, ends with its
  // own two halves at 1118. It is 2's turn on rank 0 only after 0's, as 0 has been ready there for long: 1118
  // + 4 + 16, + 4 + 16.
  CHECK(trained.log.of(1)[0].end_s == about(1112, rounding_of_sums));
  CHECK(trained.log.of(0)[1].blocked_s == about((1138 - 112) + (1158 - 1139), rounding_of_sums));
}

TEST_CASE("partitions of ByteScheduler on several streams are exchanged at the same time") {
  // Three partitions of 16 bytes are ready at once; with α = 100 s an all-reduce of one takes 216 s.
  const Workload one_layer = workload_of({{{12}, 0, 1}});
  const StarCluster far{.workers = 2, .alpha_s = 100, .bandwidth_Bps = 1};
  const auto end_s = [&](int streams) {
    const ByteSchedulerOptions options{.partition_bytes = 16, .credit_bytes = 1000, .streams = streams};
    return train(options, one_layer, {.cluster = far}).statistics.makespan_s;
  };
  CHECK(end_s(1) == about(1 + 104 + 3 * 216, rounding_of_sums));
  CHECK(end_s(3) < 1 + 112 + 216 + 3 * 16);
}

TEST_CASE(
    "on every stream of ByteScheduler a partition is exchanged once it is ready, whatever other streams wait "
    "for") {
  const Workload three_layers = workload_of({{{4}, 0, 1000}, {{4}, 0, 1000}, {{4}, 0, 1000}});
  const ByteSchedulerOptions options{.partition_bytes = 16, .credit_bytes = 32, .streams = 2};
  const auto load = [](Rank rank, std::int64_t) { return Load{.factor = rank == 0 ? 0.0 : 1.0}; };
  const Trained trained = train(options, three_layers, {.cluster = byte_a_second, .load = load});
  // Rank 0 is ready at once and announces 0 and 1, for which both streams of rank 1 wait. 1 is ready at 2000
  // and exchanged then, 0 at 3000, and after it on the same stream 2.
  CHECK(trained.statistics.makespan_s == about(3032, rounding_of_sums));
}

TEST_CASE("ByteScheduler's exchanges and updates of the last iteration come after its end") {
  const ByteSchedulerOptions options{.partition_bytes = 16, .credit_bytes = 16};
  const Trained trained = train(options, of_three_partitions, {.cluster = byte_a_second});
  CHECK(trained.end_s(0) == about(112, rounding_of_sums));
  CHECK(trained.statistics.makespan_s == about(162, rounding_of_sums));
}

TEST_CASE("without iterations or tensors ByteScheduler exchanges nothing") {
  CHECK(train(ByteSchedulerOptions{}, of_three_partitions, {.cluster = byte_a_second, .iterations = 0})
            .statistics.makespan_s == 0);
  CHECK(train(ByteSchedulerOptions{}, workload_of({{{}, 1, 2}}), {.cluster = byte_a_second, .iterations = 2})
            .end_s(1) == 6);
}

}  // namespace
}  // namespace starling
