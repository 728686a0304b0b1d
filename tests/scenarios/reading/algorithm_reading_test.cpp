#include <doctest/doctest.h>

#include <string>

#include "algorithms/training/every_algorithm.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"
#include "tests/scenarios/reading/reading.hpp"

namespace starling {
namespace {

TEST_CASE("the defaults of algorithms are those of their options") {
  const Scenario scenario = Reading().read(
      {R"(/algorithms=[{"kind": "ddp"}, {"kind": "horovod"}, {"kind": "bytescheduler"}, {"kind": "dear"}])"});
  const auto& ddp = *scenario.algorithms[0].options.get_if<DdpOptions>();
  CHECK(ddp.first_bucket_bytes == DdpOptions{}.first_bucket_bytes);
  CHECK(scenario.algorithms[0].as_read["bucket_bytes"] == DdpOptions{}.bucket_bytes);
  CHECK(scenario.algorithms[0].as_read["first_bucket_bytes"] == DdpOptions{}.first_bucket_bytes);
  CHECK(scenario.algorithms[1].as_read["cycle_time"] == HorovodOptions{}.cycle_time_s);
  CHECK(scenario.algorithms[1].as_read["fusion_bytes"] == HorovodOptions{}.fusion_bytes);
  CHECK(scenario.algorithms[2].as_read["partition_bytes"] == ByteSchedulerOptions{}.partition_bytes);
  CHECK(scenario.algorithms[2].as_read["credit_bytes"] == ByteSchedulerOptions{}.credit_bytes);
  CHECK(scenario.algorithms[3].as_read["bucket_bytes"] == DearOptions{}.bucket_bytes);
  CHECK(scenario.algorithms[3].as_read["prefetch_depth"] == DearOptions{}.prefetch_depth);
}

TEST_CASE("dear takes every collective that falls into a reduce-scatter and an all-gather") {
  for (const std::string collective : {"ring", "halving_doubling", "auto"}) {
    const auto scenario =
        Reading().read({R"(/algorithms=[{"kind": "dear", "collective": ")" + collective + R"("}])"});
    CHECK(scenario.algorithms[0].options.get_if<DearOptions>()->collective == collective);
  }
}

TEST_CASE("options of algorithms are read") {
  const auto algorithms = Reading().read(good_scenario_with("mg_wfbp")).algorithms;
  CHECK(algorithms[0].options.get_if<AllreduceOptions>()->collective == "auto");
  CHECK(algorithms[1].label == "WFBP, by doubling");
  CHECK(algorithms[1].options.get_if<WfbpOptions>()->collective == "recursive_doubling");
  CHECK(algorithms[3].options.get_if<DdpOptions>()->bucket_bytes == 10e6);
  CHECK(algorithms[3].options.get_if<DdpOptions>()->first_bucket_bytes == 1);
  CHECK(algorithms[4].options.get_if<HorovodOptions>()->cycle_time_s == 5e-3);
  CHECK(algorithms[4].options.get_if<HorovodOptions>()->fusion_bytes == 0);
  const auto& bytescheduler = *algorithms[5].options.get_if<ByteSchedulerOptions>();
  CHECK(bytescheduler.partition_bytes == 1e6);
  CHECK(bytescheduler.credit_bytes == 4e6);
  CHECK(bytescheduler.streams == 2);
  const auto& dear = *algorithms[6].options.get_if<DearOptions>();
  CHECK_FALSE(dear.bucket_bytes.has_value());
  CHECK(dear.prefetch_depth == 4);
  CHECK(dear.sync_each_iteration);
  CHECK(!dear.launch_ahead);
  CHECK(algorithms[7].options.get_if<DearOptions>()->bucket_bytes == 0);
  const auto& merged = *algorithms[9].options.get_if<MgWfbpOptions>();
  CHECK(merged.planned_start_up_s == 4e-3);
  CHECK(merged.planned_bandwidth_Bps == 1.2e9);
}

TEST_CASE("algorithms without a label get their kind, with a number where that is taken") {
  const auto algorithms =
      Reading()
          .read({R"(/algorithms=[{"kind": "ddp"}, {"kind": "ddp"}, {"kind": "dear", "label": "ddp-2"},
                         {"kind": "ddp"}])"})
          .algorithms;
  CHECK(algorithms[0].label == "ddp");
  CHECK(algorithms[1].label == "ddp-3");  // ddp-2 was given to another
  CHECK(algorithms[2].label == "ddp-2");
  CHECK(algorithms[3].label == "ddp-4");
}

}  // namespace
}  // namespace starling
