#include "algorithms/training/training_factory.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "training_fixture.hpp"

namespace starling {
namespace {

std::string complaint(const TrainingOptions& options, const ClusterFacts& facts = {.workers = 4}) {
  const Workload workload = workload_of({{{1000}, 1, 1}});
  try {
    make_training_algorithm(options, workload, facts);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("every algorithm can be made with its defaults") {
  for (const TrainingOptions& options :
       {TrainingOptions(AllreduceOptions{}), TrainingOptions(WfbpOptions{}), TrainingOptions(DdpOptions{}),
        TrainingOptions(HorovodOptions{}), TrainingOptions(MgWfbpOptions{}),
        TrainingOptions(ByteSchedulerOptions{}), TrainingOptions(DearOptions{})}) {
    CAPTURE(kind_of(options));
    CHECK(complaint(options) == "none");
  }
}

TEST_CASE("every all-reduce can be chosen, by name") {
  const ClusterFacts facts{.workers = 4, .workers_per_host = 2};
  for (const char* name :
       {"ring", "recursive_doubling", "halving_doubling", "double_tree", "hierarchical", "auto"}) {
    CAPTURE(name);
    CHECK(complaint(WfbpOptions{.collective = name}, facts) == "none");
    CHECK(complaint(MgWfbpOptions{.collective = name}, facts) == "none");
  }
}

TEST_CASE("an option out of its range is named with its value and what is accepted") {
  CHECK(complaint(DdpOptions{.bucket_bytes = 0}) == "ddp: bucket_bytes is 0; it must be finite and above 0");
  CHECK(complaint(DdpOptions{.first_bucket_bytes = -1}) ==
        "ddp: first_bucket_bytes is -1; it must be finite and above 0");
  CHECK(complaint(HorovodOptions{.cycle_time_s = 0}) ==
        "horovod: cycle_time_s is 0; it must be finite and above 0");
  CHECK(complaint(HorovodOptions{.cycle_time_s = std::numeric_limits<double>::infinity()}) ==
        "horovod: cycle_time_s is inf; it must be finite and above 0");
  CHECK(complaint(HorovodOptions{.fusion_bytes = std::numeric_limits<double>::quiet_NaN()}) ==
        "horovod: fusion_bytes is nan; it must be finite and not negative");
  CHECK(complaint(MgWfbpOptions{.planned_start_up_s = 1e-3}) ==
        "mg_wfbp: planned_start_up_s and planned_bandwidth go together");
  CHECK(complaint(MgWfbpOptions{.planned_start_up_s = -1e-3, .planned_bandwidth = 1e9}) ==
        "mg_wfbp: planned_start_up_s is -0.001; it must be finite and not negative");
  CHECK(complaint(MgWfbpOptions{.planned_start_up_s = 0, .planned_bandwidth = 0}) ==
        "mg_wfbp: planned_bandwidth is 0; it must be finite and above 0");
  CHECK(complaint(ByteSchedulerOptions{.partition_bytes = 0}) ==
        "bytescheduler: partition_bytes is 0; it must be finite and above 0");
  CHECK(complaint(ByteSchedulerOptions{.partition_bytes = 0.001}) ==
        "bytescheduler: partition_bytes is 0.001; that makes 4000000 partitions, and 1000000 are the most");
  CHECK(complaint(ByteSchedulerOptions{.credit_bytes = -5}) ==
        "bytescheduler: credit_bytes is -5; it must be finite and above 0");
  CHECK(complaint(ByteSchedulerOptions{.streams = 0}) == "bytescheduler: streams is 0; it must be 1 or more");
  CHECK(complaint(DearOptions{.bucket_bytes = -1}) ==
        "dear: bucket_bytes is -1; it must be finite and not negative");
  CHECK(complaint(DearOptions{.prefetch_depth = 0}) == "dear: prefetch_depth is 0; it must be 1 or more");
  CHECK(complaint(WfbpOptions{}, {.workers = 0}) == "wfbp: workers is 0; it must be 1 or more");
}

TEST_CASE("an unknown collective is answered with the known ones") {
  CHECK(complaint(AllreduceOptions{.collective = "rings"}) ==
        "allreduce: collective is \"rings\"; it must be one of ring, recursive_doubling, halving_doubling, "
        "double_tree, "
        "hierarchical, auto");
}

TEST_CASE("dear accepts only collectives that come in two halves") {
  CHECK(complaint(DearOptions{.collective = "halving_doubling"}) == "none");
  CHECK(complaint(DearOptions{.collective = "auto"}) == "none");
  CHECK(complaint(DearOptions{.collective = "double_tree"}) ==
        "dear: collective is \"double_tree\"; it must be one of ring, halving_doubling, auto");
}

}  // namespace
}  // namespace starling
