#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "io/scenario_error.hpp"
#include "small_sweep.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

TEST_CASE("--set of a value that varies is refused, as it would have no effect") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.write("base.json", swept_base);
  for (const std::string set : {"/cluster/workers=3", "/cluster/network/link/bandwidth=1Gbps"}) {
    CAPTURE(set);
    const std::vector<std::string> varied{set.starts_with("/cluster/w") ? "/cluster/workers=4,8"
                                                                        : R"(/cluster/network=1,2)"};
    CHECK_THROWS_WITH_AS((void)read_sweep({.file = file, .varied = varied, .overrides = {set}, .seeds = 1}),
                         doctest::Contains("has no effect"), ScenarioError);
  }
  CHECK_NOTHROW((void)read_sweep({.file = file,
                                  .varied = {"/cluster/workers=4,8"},
                                  .overrides = {R"(/cluster={"workers": 2})"},
                                  .seeds = 1}));
}

TEST_CASE("a pointer that is wrong for every combination is an error of the sweep") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/cluster/wrokers=4,6"});
  CHECK(
      error_of(folder.path(), [&] {
        check_sweep(plan, {});
      }).starts_with("--vary /cluster/wrokers=4: /cluster/wrokers: unknown key (did you mean \"workers\"?)"));
}

TEST_CASE("if all combinations are refused, each distinct error is given with the values that cause it") {
  const ScratchFolder folder;
  const auto error_with = [&](const std::vector<std::string>& varied) {
    const SweepPlan plan = plan_of(folder, varied);
    return error_of(folder.path(), [&] { check_sweep(plan, {}); });
  };
  const std::string one = error_with({"/cluster/workers=0"});
  CHECK(one.find(" (with ") == std::string::npos);
  CHECK(error_with({"/cluster/workers=0,-1"}) == one + " (with workers=0; workers=-1)");
  CHECK(error_with({"/cluster/workers=0,-1,-2,-3,-4"}) ==
        one + " (with workers=0; workers=-1; workers=-2; and 2 more)");
  CHECK(error_with({"/cluster/workers=0", "/seed=1,2,3"}) == one);
  const std::string several = error_with({R"(/cluster/workers=0,"many")"});
  CHECK(several.starts_with(one + " (with workers=0)\n--vary /cluster/workers=\"many\": /cluster/workers: "));
  CHECK(several.ends_with(" (with workers=many)"));
}

TEST_CASE(
    "a value that is wrong in every combination is an error of the sweep, even if other values are right") {
  const ScratchFolder folder;
  const auto check = [&](const std::vector<std::string>& varied) {
    const SweepPlan plan = plan_of(folder, varied);
    return error_of(folder.path(), [&] { check_sweep(plan, {}); });
  };
  const std::string one = check({"/cluster/workers=0"});
  CHECK(check({"/cluster/workers=4,0,6"}) == one);
  CHECK(check({"/iterations=4,6", "/cluster/workers=4,0,6", "/seed=1,2,3"}) == one);
  CHECK(check({"/iterations=4,0", "/cluster/workers=4,0"}).find("\n--vary /cluster/workers=0: ") !=
        std::string::npos);
}

TEST_CASE("an error elsewhere than at the varied value names the combination at fault") {
  const ScratchFolder folder;
  auto base = nlohmann::json::parse(swept_base);
  base["cluster"]["workers"] = 8;
  base["cluster"]["network"]["kind"] = "leaf_spine";
  base["cluster"]["network"].update({{"hosts_per_leaf", 4}, {"spines", 2}});
  const std::string failed = R"([{"between":["leaf0","*"],"failed":true}])";
  const SweepPlan plan = read_sweep({.file = folder.write("base.json", base.dump()),
                                     .varied = {"/cluster/network/overrides=[]," + failed},
                                     .overrides = {},
                                     .seeds = 1});
  const std::string error = error_of(folder.path(), [&] { check_sweep(plan, {}); });
  CHECK(error.find("no path connects host0 and host1") != std::string::npos);
  CHECK(error.ends_with(" (with " + combination_text(plan, 1) + ")"));
}

TEST_CASE("a value is no error of the sweep if it fits at least one combination") {
  const ScratchFolder folder;
  const auto check = [&](const std::string& varied, int numbers) {
    std::string list = "1";
    for (int i = 2; i <= numbers; ++i) list += fmt::format(",{}", i);
    const SweepPlan plan =
        read_sweep({.file = folder.write("base.json", swept_base),
                    .varied = {"/cluster/workers=" + list, varied},
                    .overrides = {"/cluster/workers_per_host=4",
                                  R"(/cluster/intra_host_link={"bandwidth": "100Gbps", "latency": "1us"})"},
                    .seeds = 1});
    return error_of(folder.path(), [&] { check_sweep(plan, {}); });
  };
  const std::string some =
      "/algorithms/0/collective=ring,hierarchical";  // hierarchical needs a multiple of 4 workers
  CHECK(check(some, 3).find("hierarchical") != std::string::npos);
  CHECK(check(some, 4) == "no error");
  CHECK(check(some, 199) == "no error");
  const std::string none = "/algorithms/0/collective=ring,rnig";
  for (const int numbers : {40, 90, 199}) CHECK(check(none, numbers).find("rnig") != std::string::npos);
}

TEST_CASE("a value that is wrong in every combination is found even among too many combinations to check") {
  const ScratchFolder folder;
  const std::string seeds = "/seed=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20";
  const auto check = [&](const std::vector<std::string>& varied) {
    std::vector<std::string> all{"/iterations=3,4,5,6", seeds, "/cluster/workers=2,4,6,8"};
    all.insert(all.end(), varied.begin(), varied.end());
    const SweepPlan plan = plan_of(folder, all);
    return error_of(folder.path(), [&] { check_sweep(plan, {}); });
  };
  const std::string bandwidth = "/cluster/network/link/bandwidth=10Gbps,25Gpbs,40Gbps";
  CHECK(check({bandwidth}).starts_with("--vary /cluster/network/link/bandwidth=\"25Gpbs\": "));
  CHECK(check({bandwidth, "/workload/batch_size=8,none,16"}).find("\"25Gpbs\"") != std::string::npos);
  const std::string clash = R"(/cluster/network={"kind":"star"},)"
                            R"({"kind":"star","link":{"bandwidth":"1Gbps","latency":"1us"}})";
  CHECK(check({clash}).find("link") != std::string::npos);
}

TEST_CASE("a value that fits one combination is no error even among too many combinations to check") {
  const ScratchFolder folder;
  std::string workers = "/cluster/workers=";
  for (int i = 1; i < 100; i += 2) workers += fmt::format("{},", i);
  workers += "8";  // the only multiple of 4
  for (const std::string collective : {"hierarchical", "hierarchicla"}) {
    const SweepPlan plan =
        read_sweep({.file = folder.write("base.json", swept_base),
                    .varied = {"/algorithms/0/collective=ring," + collective, "/seed=1,2,3,4,5,6", workers},
                    .overrides = {"/cluster/workers_per_host=4",
                                  R"(/cluster/intra_host_link={"bandwidth": "100Gbps", "latency": "1us"})"},
                    .seeds = 1});
    const std::string error = error_of(folder.path(), [&] { check_sweep(plan, {}); });
    if (collective == "hierarchical")
      CHECK(error == "no error");
    else
      CHECK(error.starts_with("--vary /algorithms/0/collective=\"hierarchicla\": "));
  }
}

TEST_CASE("each value of each axis is read once before combinations are checked") {
  const ScratchFolder folder;
  std::string seeds = "/seed=1";
  for (int seed = 2; seed <= 150; ++seed) seeds += fmt::format(",{}", seed);
  const SweepPlan plan = plan_of(folder, {seeds + ",-1", "/iterations=3,4,5", "/cluster/workers=2,4"});
  CHECK(error_of(folder.path(), [&] { check_sweep(plan, {}); }).starts_with("--vary /seed=-1: "));
}

}  // namespace
}  // namespace starling
