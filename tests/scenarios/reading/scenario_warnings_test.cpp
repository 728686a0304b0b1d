#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/scenarios/reading/reading.hpp"

namespace starling {
namespace {

TEST_CASE("suspicious scenarios are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::vector<std::string>& changes) {
    auto all = reading.read(changes).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  CHECK(warnings({"/cluster/workers_per_host=3",
                  R"(/cluster/intra_host_link={"bandwidth": 1e9, "latency": 0})"}) ==
        std::vector<std::string>{
            "scenario.json: /cluster: 8 workers on hosts of 3 leave the last host with 2"});
  const auto rails = [&](int cards) {
    return warnings({"/cluster/workers_per_host=4", fmt::format("/cluster/nics_per_host={}", cards),
                     R"(/cluster/intra_host_link={"bandwidth": 1e9, "latency": 0})",
                     R"(/cluster/network={"kind": "rail", "link": {"bandwidth": 1e9, "latency": 0}})"});
  };
  CHECK(rails(4).empty());
  CHECK(rails(1) == std::vector<std::string>{"scenario.json: /cluster/network: one rail, as nics_per_host is "
                                             "1, which all 4 workers of a host share"});
  const auto valiant = [&](const std::string& groups) {
    return warnings({R"(/cluster/network={"kind": "dragonfly", "routers_per_group": 4, "hosts_per_router": 1,
                       "routing": "valiant", "link": {"bandwidth": 1e9, "latency": 0}})",
                     groups});
  };
  CHECK(valiant("/cluster/network/groups=3").empty());
  for (const char* groups : {"/cluster/network/groups=2", "/cluster/network/global_links_per_router=2"})
    CHECK(valiant(groups) ==
          std::vector<std::string>{"scenario.json: /cluster/network: routing \"valiant\" has no effect, as "
                                   "there are 2 groups of routers: routes are those of \"minimal\"; "
                                   "detours need \"groups\" of at least 3"});
  CHECK(valiant("/cluster/network/hosts_per_router=2").front().find("as there is 1 group of routers") !=
        std::string::npos);
  CHECK(valiant("/cluster/network/routing=minimal").empty());
  CHECK(warnings({"/cluster/message_overhead=1"}) ==
        std::vector<std::string>{"scenario.json: /cluster/message_overhead: 1 s for each message"});
  CHECK(warnings({"/warmup_iterations=0"}).empty());
  CHECK(warnings({"/warmup_iterations=0",
                  R"(/algorithms=[{"kind": "ddp"}, {"kind": "dear", "label": "mine"}])"}) ==
        std::vector<std::string>{
            "scenario.json: /warmup_iterations: without warm-up the first iteration of mine counts, which is "
            "shorter than the others, as no messages of a previous iteration arrive in it"});
}

TEST_CASE("a graph whose nodes are not called by their ranks is accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& before) {
    std::string text = "<graphml><graph edgedefault=\"undirected\">";
    for (int node = 7; node >= 0; --node) text += fmt::format("<node id=\"{}{}\"/>", before, node);
    for (int node = 0; node < 7; ++node)
      text += fmt::format("<edge source=\"{0}{1}\" target=\"{0}{2}\"/>", before, node, node + 1);
    reading.folder().write("graph.graphml", text + "</graph></graphml>");
    return reading
        .read({R"(/algorithms=[{"kind": "dpsgd", "graph": {"kind": "file", "file": "graph.graphml"}}])"})
        .warnings;
  };
  CHECK(warnings("").empty());
  CHECK(warnings("n").empty());
  REQUIRE(warnings("gpu").size() == 1);
  CHECK(warnings("gpu")[0].find("scenario.json: /algorithms/0/graph/file: ") != std::string::npos);
  CHECK(warnings("gpu")[0].ends_with("\"gpu7\" is worker 0, \"gpu0\" worker 7"));
}

TEST_CASE("what would come after the last iteration is accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::vector<std::string>& changes) {
    auto all = reading.read(changes).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  const auto pause_before = [](int iteration) {
    return fmt::format(
        R"(/workload/imbalance={{"kind": "pause", "worker": 3, "iteration": {}, "duration": "1s"}})",
        iteration);
  };
  CHECK(warnings({pause_before(3)}).empty());
  CHECK(
      warnings({pause_before(4)}) ==
      std::vector<std::string>{"scenario.json: /workload/imbalance: the pause before iteration 4 of worker 3 "
                               "does not occur, as the last iteration is 3"});
  CHECK(warnings({pause_before(4), R"(/iterations={"standard_error": 0.1, "most": 8})"}).empty());
  CHECK(
      warnings({pause_before(1), "/warmup_iterations=2"}) ==
      std::vector<std::string>{"scenario.json: /workload/imbalance: the pause before iteration 1 of worker 3 "
                               "occurs in the warm-up: only waiting from iteration 2 on is counted"});
  CHECK(warnings({pause_before(2), "/warmup_iterations=2"}).empty());
  CHECK(warnings({R"(/algorithms=[{"kind": "local_sgd", "period": 4}])"}).empty());
  CHECK(warnings({R"(/algorithms=[{"kind": "local_sgd", "period": 5}, {"kind": "wagma"}])"}) ==
        std::vector<std::string>{"scenario.json: /iterations: local_sgd averages all models every 5 "
                                 "iterations, but the run has only 4",
                                 "scenario.json: /iterations: wagma averages all models every 10 iterations, "
                                 "but the run has only 4"});
  CHECK(
      warnings({R"(/algorithms=[{"kind": "slowmo"}, {"kind": "eager_solo", "model_sync_iterations": 6}])"}) ==
      std::vector<std::string>{"scenario.json: /iterations: slowmo averages all models every 12 iterations, "
                               "but the run has only 4",
                               "scenario.json: /iterations: eager_solo averages all models every 6 "
                               "iterations, but the run has only 4"});
  CHECK(warnings({R"(/algorithms=[{"kind": "eager_solo"}])"}).empty());
}

TEST_CASE("options of algorithms that have no effect are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& algorithm, const std::vector<std::string>& more = {}) {
    std::vector<std::string> changes{"/algorithms=[" + algorithm + "]"};
    changes.insert(changes.end(), more.begin(), more.end());
    auto all = reading.read(changes).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  using Texts = std::vector<std::string>;
  for (const char* kind : {"eager_solo", "eager_majority"}) {
    const std::string head = fmt::format(R"({{"kind": "{}", "collective": )", kind);
    CHECK(warnings(head + R"("double_tree"})") ==
          Texts{"scenario.json: /algorithms/0/collective: has no effect, as models are never averaged unless "
                "\"model_sync_iterations\" is above 0; gradients are always summed by recursive doubling"});
    CHECK(warnings(head + R"("ring"})").empty());  // the default, which results state
    CHECK(warnings(head + R"("double_tree", "model_sync_iterations": 2})").empty());
  }

  const std::string deep = R"({"kind": "dear", "prefetch_depth": 3)";
  const Texts about_depth{
      "scenario.json: /algorithms/0/prefetch_depth: has no effect: with \"launch_ahead\", which is true by "
      "default, all-gathers wait only for each other, unless \"sync_each_iteration\" is true or workers are "
      "delayed"};
  CHECK(warnings(deep + "}") == about_depth);
  CHECK(warnings(deep + "}", {R"(/workload/imbalance={"kind": "gamma", "coefficient_of_variation": 0.1})"}) ==
        about_depth);
  CHECK(warnings(deep + "}", {R"(/workload/imbalance={"kind": "pause", "worker": 3, "iteration": 2,
                                                      "duration": "1s"})"})
            .empty());
  CHECK(warnings(deep + R"(, "launch_ahead": false})").empty());
  CHECK(warnings(deep + R"(, "sync_each_iteration": true})").empty());
  CHECK(warnings(R"({"kind": "dear", "prefetch_depth": 1})").empty());

  const std::string overlapping = R"({"kind": "sgp", "overlap": 4})";
  CHECK(warnings(R"({"kind": "sgp", "overlap": 3})").empty());
  CHECK(
      warnings(overlapping) ==
      Texts{"scenario.json: /algorithms/0/overlap: adds messages 4 iterations after they were sent, but the "
            "run has only 4: no iteration waits for them"});
  CHECK(warnings(overlapping, {R"(/iterations={"standard_error": 0.1, "most": 8})"}).empty());

  const std::string sharing = R"({"kind": "ddp"}, {"kind": "sgp", "per_host": true})";
  CHECK(warnings(sharing) ==
        Texts{"scenario.json: /algorithms/1/per_host: has no effect, as every host has one worker"});
  CHECK(warnings(sharing, {"/cluster/workers_per_host=2",
                           R"(/cluster/intra_host_link={"bandwidth": 1e9, "latency": 0})"})
            .empty());
}

TEST_CASE("sizes whose unit was likely forgotten are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& kind, const std::string& size) {
    auto all = reading.read({fmt::format(R"(/algorithms=[{{"kind": "{}", "label": "a", {}}}])", kind, size)})
                   .warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  CHECK(warnings("ddp", R"("bucket_bytes": 25)") ==
        std::vector<std::string>{"scenario.json: /algorithms/0/bucket_bytes: is 25 bytes; numbers without a "
                                 "unit are in bytes: give a unit, as in \"25MiB\""});
  for (const char* kind : {"eager_solo", "dpsgd", "sgp", "decentralized_adam", "dear"}) {
    CHECK(warnings(kind, R"("bucket_bytes": 1023)").size() == 1);
    CHECK(warnings(kind, R"("bucket_bytes": 1024)").empty());
  }
  CHECK(warnings("dear", R"("bucket_bytes": 0)").empty());
  CHECK(warnings("dear", R"("bucket_bytes": "auto")").empty());
  CHECK(warnings("sgp", R"("neighbors": 1)").empty());  // has no buckets
  CHECK(warnings("ddp", R"("first_bucket_bytes": "1B")").size() == 1);
  CHECK(warnings("horovod", R"("fusion_bytes": 64)").size() == 1);
  CHECK(warnings("bytescheduler", R"("credit_bytes": 4)").size() == 1);
}

TEST_CASE("options of the algorithms of jobs that have no effect are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& algorithm, bool repeats) {
    const std::string workload = R"("workload": {"model": "hyperplane_mlp", "batch_size": 8,
                                                 "compute": {"forward": "5ms", "backward": "10ms"}})";
    auto all = reading
                   .read({"remove /workload", "remove /algorithms",
                          fmt::format(R"(/jobs=[{{"workers": 4, {0}, "algorithm": {{"kind": "ddp"}}}},
                                                {{"workers": 4, {0}, "algorithm": {1}, "repeat": {2}}}])",
                                      workload, algorithm, repeats)})
                   .warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  CHECK(warnings(R"({"kind": "sgp", "overlap": 9})", false) ==
        std::vector<std::string>{"scenario.json: /jobs/1/algorithm/overlap: adds messages 9 iterations after "
                                 "they were sent, but the run has only 4: no iteration waits for them"});
  CHECK(warnings(R"({"kind": "sgp", "overlap": 9})", true).empty());
  CHECK(warnings(R"({"kind": "eager_solo", "collective": "auto"})", false).size() == 1);
}

TEST_CASE("times that are not of these workers, or of another length, are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& imbalance, const std::vector<std::string>& more = {}) {
    std::vector<std::string> changes{"/workload/imbalance=" + imbalance};
    changes.insert(changes.end(), more.begin(), more.end());
    auto all = reading.read(changes).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  std::string times;
  for (int worker = 0; worker < 10; ++worker) times += fmt::format("{0},0,0.02\n{0},1,0.02\n", worker);
  const std::string trace_file = reading.folder().write("ten.csv", times).string();
  const std::string traced = fmt::format(R"({{"kind": "trace", "file": "{}"}})", trace_file);
  CHECK(warnings(traced) ==
        std::vector<std::string>{
            "scenario.json: /workload/imbalance: " + trace_file +
            " has times of 10 workers, but the job has 8: the times of 2 workers are not used"});
  CHECK(warnings(traced, {"/cluster/workers=10"}).empty());
  CHECK(warnings(traced, {"/cluster/workers=10", "/iterations=2"}).empty());
  CHECK(warnings(traced, {"/cluster/workers=10", "/iterations=1", "/warmup_iterations=0"}) ==
        std::vector<std::string>{
            "scenario.json: /workload/imbalance: " + trace_file +
            " has times of 2 iterations, but the run has 1: the times of later iterations are not used"});
  // 0.454 s in the mean.
  const std::string drawn = R"({"kind": "distribution", "name": "cloud_resnet50_batch"})";
  CHECK(warnings(drawn, {"/workload/compute/forward=100ms", "/workload/compute/backward=130ms"}).empty());
  CHECK(warnings(drawn, {"/workload/compute/forward=300ms", "/workload/compute/backward=600ms"}).empty());
  const auto about_long = warnings(drawn, {"/workload/compute/forward=1s", "/workload/compute/backward=4s"});
  REQUIRE(about_long.size() == 1);
  CHECK(about_long[0].starts_with(
      "scenario.json: /workload/imbalance: cloud_resnet50_batch draws compute times of 0.45"));
  CHECK(
      about_long[0].ends_with(" s on average, in place of the 5 s of forward and backward together, which "
                              "only determine how times are split over layers and passes"));
  CHECK(warnings(drawn).size() == 1);  // 30 ms
  CHECK(warnings(R"({"kind": "distribution", "name": "cloud_resnet50_batch", "as": "delay"})").empty());
}

TEST_CASE("times of a trace in another unit are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& seconds) {
    std::string times;
    for (int worker = 0; worker < 8; ++worker) times += fmt::format("{},0,{}\n", worker, seconds);
    times += "8,0,1000\n";  // of nobody, so that its time does not count
    reading.folder().write("times.csv", times);
    auto all = reading.read({R"(/workload/imbalance={"kind": "trace", "file": "times.csv"})"}).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("times.csv"));
    return all;
  };
  CHECK(warnings("0.03").size() == 1);  // of the ninth worker, as in all others
  CHECK(warnings("0.015").size() == 1);
  CHECK(warnings("0.06").size() == 1);
  const auto in_milliseconds = warnings("30");
  REQUIRE(in_milliseconds.size() == 2);
  CHECK(in_milliseconds[1] ==
        "times.csv has compute times of 30 s on average, in place of the 0.03 s of forward and backward "
        "together, which only determine how times are split over layers and passes");
  CHECK(warnings("0.0149").size() == 2);
  CHECK(warnings("0").size() == 2);
}

TEST_CASE("factors that make slow workers fast are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& imbalance) {
    auto all = reading.read({"/workload/imbalance=" + imbalance}).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  CHECK(warnings(R"({"kind": "slow_workers", "workers": [1], "factor": 1})").empty());
  CHECK(warnings(R"([{"kind": "lognormal", "coefficient_of_variation": 0.1},
                     {"kind": "slow_workers", "workers": [1], "factor": 0.7}])") ==
        std::vector<std::string>{
            "scenario.json: /workload/imbalance: slow_workers: factor 0.7 makes workers faster; 1.3 would "
            "make them take 30 % longer, 1.43 would multiply their speed by 0.7"});
  CHECK(warnings(R"({"kind": "markov", "slow_factor": 0.5, "mean_slow": 2, "mean_fast": 8})") ==
        std::vector<std::string>{
            "scenario.json: /workload/imbalance: markov: slow_factor 0.5 makes workers faster; 1.5 would "
            "make them take 50 % longer, 2 would multiply their speed by 0.5"});
}

}  // namespace
}  // namespace starling
