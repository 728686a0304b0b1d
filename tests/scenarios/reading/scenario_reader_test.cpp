#include "scenarios/reading/scenario_reader.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <variant>
#include <vector>

#include "algorithms/training/every_algorithm.hpp"
#include "algorithms/training/registry.hpp"
#include "io/scenario_error.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"
#include "tests/scenarios/reading/reading.hpp"

namespace starling {
namespace {

TEST_CASE("a scenario is read into SI units") {
  const Scenario scenario =
      Reading().read({"/cluster/workers_per_host=4", "/cluster/message_overhead=1us",
                      "/cluster/intra_host_link/bandwidth=16GBps", "/cluster/intra_host_link/latency=1us",
                      "/cluster/reduction_rate=8GBps", "/cluster/eager_threshold=64KiB",
                      "/workload/optimizer_rate=100GBps"});
  CHECK(scenario.name == "base");
  CHECK(scenario.iterations == 4);
  CHECK(scenario.warmup_iterations == 1);
  CHECK(scenario.cluster.workers == 8);
  CHECK(scenario.cluster.workers_per_host == 4);
  const auto& star = std::get<StarOptions>(scenario.cluster.network.kind);
  CHECK(star.link.bandwidth_Bps == 1.25e9);
  CHECK(star.link.latency_s == 5e-6);
  CHECK(scenario.cluster.intra_host_link->bandwidth_Bps == 16e9);
  CHECK(scenario.message_costs.overhead_s == 1e-6);
  CHECK(scenario.message_costs.reduction_s_per_byte == 1 / 8e9);
  CHECK(scenario.message_costs.eager_threshold_bytes == 65536);
  CHECK(scenario.workload.model.name == "hyperplane_mlp");
  CHECK(scenario.workload.batch_size == 32);
  CHECK(scenario.workload.forward_total_s() == about(0.01));
  CHECK(scenario.workload.backward_total_s() == about(0.02));
  CHECK(scenario.workload.optimizer_s_per_byte == 1 / 100e9);
  REQUIRE(scenario.algorithms.size() == 2);
  CHECK(scenario.algorithms[0].options.get_if<AllreduceOptions>()->collective == "ring");
  CHECK(scenario.algorithms[1].options.get_if<DdpOptions>()->bucket_bytes == 25 * mebibyte);
}

TEST_CASE("a job begins after the greatest worker of the job before, in whatever order its ranks are given") {
  const Scenario scenario = Reading().read({"remove /workload", "remove /algorithms", R"(/jobs=[
      {"ranks": [3, 1], "workload": {"model": "hyperplane_mlp", "batch_size": 8,
        "compute": {"forward": "5ms", "backward": "10ms"}}, "algorithm": {"kind": "ddp"}},
      {"workers": 2, "workload": {"model": "hyperplane_mlp", "batch_size": 8,
        "compute": {"forward": "5ms", "backward": "10ms"}}, "algorithm": {"kind": "ddp"}}])"});
  CHECK(scenario.jobs.at(1).workers == std::vector<Rank>{4, 5});
}

TEST_CASE("what is left out is free, absent or a documented default") {
  const Reading reading;
  const Scenario scenario = reading.read({"remove /name", "remove /iterations", "remove /warmup_iterations"});
  CHECK(scenario.name == "scenario");  // the file's
  CHECK(scenario.seed == 1);
  CHECK(scenario.iterations == 100);
  CHECK(scenario.warmup_iterations == 10);
  CHECK(reading.read({"/iterations=2", "remove /warmup_iterations"}).warmup_iterations == 1);
  CHECK(reading.read({"/iterations=1", "remove /warmup_iterations"}).warmup_iterations == 0);
  CHECK(scenario.engine == Engine::fair);
  CHECK(scenario.collectives == CollectiveExecution::automatic);
  CHECK(scenario.simgrid == SimGridOptions{});
  CHECK(scenario.cluster.workers_per_host == 1);
  CHECK(!scenario.cluster.intra_host_link);
  CHECK(scenario.message_costs.overhead_s == 0);
  CHECK(scenario.message_costs.reduction_s_per_byte == 0);
  CHECK(scenario.transport == "nccl_tcp");
  CHECK(scenario.message_costs.eager_threshold_bytes == 4 * mebibyte);
  CHECK(scenario.workload.optimizer_s_per_byte == 0);
  CHECK(scenario.imbalance.empty());
  CHECK(scenario.warnings.empty());
}

TEST_CASE("the options of the engine fair are read") {
  const FairOptions options =
      Reading()
          .read({R"(/fair={"epsilon": 0.01, "window": "1MiB", "frame": "64KiB", "connection_rate": "5Gbps",
                           "weight_s": 20537, "unevenness": 0.1, "queued_at_first_link": 0.25})"})
          .fair;
  CHECK(options.epsilon == 0.01);
  CHECK(options.window_bytes == 1 << 20);
  CHECK(options.frame_bytes == 1 << 16);
  CHECK(options.connection_rate_Bps == 625e6);
  CHECK(options.weight_s_bytes == 20537);
  CHECK(options.unevenness == 0.1);
  CHECK(options.queued_at_first_link == 0.25);
  const FairOptions defaults = Reading().read({"/engine=fair"}).fair;
  CHECK_FALSE(defaults.window_bytes.has_value());
  CHECK_FALSE(defaults.connection_rate_Bps.has_value());
  CHECK_FALSE(defaults.weight_s_bytes.has_value());
}

TEST_CASE("files are found relative to the scenario") {
  const ScratchFolder folder;
  folder.write("studies/models/mine.json",
               R"({"name": "mine", "layers": [{"name": "l", "tensors": [{"name": "w", "elements": 7}],
                                               "forward_flops_per_sample": 14}]})");
  const auto file =
      folder.write("studies/scenario.json", changed_scenario({"/workload/model=models/mine.json"}).dump());
  CHECK(read_scenario(file).workload.model.parameters() == 7);
}

TEST_CASE("a scenario without a name is called by its file, on one line") {
  auto document = changed_scenario({});
  document.erase("name");
  CHECK(read_scenario_document(document, "folder/a\nb.json").name == "a b");
}

TEST_CASE("what was read, read again, gives the same") {
  const Reading reading;
  for (const auto& changes : good_scenarios()) {
    CAPTURE(changes.size());
    if (!changes.empty()) CAPTURE(changes.front());
    const Scenario first = reading.read(changes);
    const Scenario second = read_scenario(reading.folder().write("again.json", first.as_read.dump()));
    CHECK(first.as_read.dump() == second.as_read.dump());
    CHECK(first.workload.forward_s == second.workload.forward_s);
    CHECK(first.message_costs.reduction_s_per_byte == second.message_costs.reduction_s_per_byte);
  }
}

TEST_CASE("an error in a value from the command line names the option") {
  const Reading reading;
  const auto error = [&](const std::vector<std::string>& overrides) {
    return error_of(reading.folder().path(), [&] { reading.read({}, overrides); });
  };
  CHECK(error({"/cluster/workers=0"}) ==
        "--set /cluster/workers=0: /cluster/workers: out of range, got 0, expected an integer from 1 to "
        "1048576");
  CHECK(error({"/cluster/network={}"})
            .starts_with("--set /cluster/network={}: /cluster/network: key \"kind\" is missing"));
  CHECK(error({"/cluster/network/link/latency=5", "/cluster/workers=0"})
            .starts_with("--set /cluster/workers=0: "));
  CHECK(error({"/cluster/workers=4", "/iterations=0"}).starts_with("--set /iterations=0: /iterations: "));
  CHECK(error({"/iterations=4", "/iterations=0"}).starts_with("--set /iterations=0: /iterations: "));
  CHECK(error({"/algorithms/-/kind=ddp", "/algorithms/-/kind=ddq"})
            .starts_with("--set /algorithms/-/kind=ddq: /algorithms/"));
  CHECK(error({"/workload/modle=vgg16"})
            .starts_with("--set /workload/modle=vgg16: /workload/modle: unknown key"));
  CHECK(error({"/wokload/model=vgg16"}).starts_with("--set /wokload/model=vgg16: /wokload: unknown key"));
}

TEST_CASE("an override takes effect") {
  const Reading reading;
  const Scenario scenario =
      reading.read({}, {"/cluster/workers=16", "/cluster/network/link/bandwidth=100Gbps",
                        "/algorithms/-/kind=dear", "/engine=simgrid"});
  CHECK(scenario.cluster.workers == 16);
  CHECK(std::get<StarOptions>(scenario.cluster.network.kind).link.bandwidth_Bps == 12.5e9);
  CHECK(scenario.algorithms.back().label == "dear");
  CHECK(scenario.engine == Engine::simgrid);
  CHECK(scenario.as_read["simgrid"]["model"] == "CM02");
}

TEST_CASE("a scenario knows all files that it was read from") {
  const Reading reading;
  reading.folder().write("measured.json", R"({"cluster": {"message_overhead": "1us"}})");
  std::string ring;
  std::string times;
  for (int worker = 0; worker < 8; ++worker) {
    ring += fmt::format("{} {}\n", worker, (worker + 1) % 8);
    times += fmt::format("{},0,0.5\n", worker);
  }
  reading.folder().write("ring.txt", ring);
  reading.folder().write("times.csv", times);
  const Scenario scenario =
      reading.read({R"(/cluster/file=measured.json)",
                    R"(/workload/imbalance=[{"kind": "trace", "file": "times.csv"},
          {"kind": "distribution", "name": "cloud_resnet50_batch", "as": "delay"}])",
                    R"(/algorithms=[{"kind": "dpsgd", "graph": {"kind": "file", "file": "ring.txt"}}])"});
  std::vector<std::string> names;
  for (const auto& file : scenario.input_files) names.push_back(file.filename());
  CHECK(names == std::vector<std::string>{"measured.json", "times.csv", "ring.txt", "hyperplane_mlp.json",
                                          "cloud_resnet50_batch.json"});
}

TEST_CASE("errors of a scenario inside another file say where it stands there") {
  ScenarioDocument document{
      .file = "study.json", .json = changed_scenario({}), .changes = {}, .place = "/base"};
  document.json["workload"] = 4;
  CHECK_THROWS_WITH_AS(read_scenario(document),
                       "study.json: /base/workload: wrong type, got 4, expected an object", ScenarioError);
  change(document, "/workload=5", "--vary");
  CHECK_THROWS_WITH_AS(read_scenario(document),
                       "--vary /workload=5: /workload: wrong type, got 5, expected an object", ScenarioError);
}

TEST_CASE("warnings of a scenario inside another file say where it stands there") {
  const auto warnings = [](const std::string& place) {
    return read_scenario({.file = "study.json",
                          .json = changed_scenario({"/cluster/message_overhead=1"}),
                          .changes = {},
                          .place = place})
        .warnings;
  };
  CHECK(warnings("") ==
        std::vector<std::string>{"study.json: /cluster/message_overhead: 1 s for each message"});
  CHECK(warnings("/base") ==
        std::vector<std::string>{"study.json: /base/cluster/message_overhead: 1 s for each message"});
}

}  // namespace
}  // namespace starling
