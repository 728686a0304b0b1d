#include "analysis/studies/sweep_plan.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "small_sweep.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

using nlohmann::json;

SweepPlan planned_study(const std::string& study) {
  const ScratchFolder folder;
  return read_sweep({.file = folder.write("study.json", study), .varied = {}, .overrides = {}, .seeds = {}});
}

std::string error_of_study(const std::string& study) {
  const ScratchFolder folder;
  const auto file = folder.write("study.json", study);
  return error_of(folder.path(),
                  [&] { read_sweep({.file = file, .varied = {}, .overrides = {}, .seeds = {}}); });
}

TEST_CASE("axes are crossed, the last one varying fastest, and values of one axis go together") {
  const SweepPlan plan = planned_study(R"({"base": {"name": "b", "cluster": {}},
    "vary": [{"/cluster/workers": [8, 16], "/cluster/hosts": ["a", "b"]},
             [{"/seed": 3}, {"/seed": 5}, {"/seed": 9}]]})");
  CHECK(plan.combinations() == 6);
  CHECK(plan.pointers() == std::vector<std::string>{"/cluster/hosts", "/cluster/workers", "/seed"});
  CHECK(json(plan.values(0)) == json::parse(R"(["a", 8, 3])"));
  CHECK(json(plan.values(1)) == json::parse(R"(["a", 8, 5])"));
  CHECK(json(plan.values(5)) == json::parse(R"(["b", 16, 9])"));
  CHECK(plan.document(5, 0).json ==
        json::parse(R"({"name": "b", "seed": 9, "cluster": {"workers": 16, "hosts": "b"}})"));
  CHECK(plan.document(5, 2).json.at("seed") == 11);  // the combination's seed 9, counted up by two
  CHECK(combination_text(plan, 5) == "hosts=b, workers=16, seed=9");
}

TEST_CASE("a filter leaves out the combinations in which all its conditions hold, with its reason") {
  const SweepPlan plan = planned_study(R"({"base": {}, "vary": [{"/a": [1, 2, 3]}, {"/b": [1, 2]}],
    "skip": [{"when": {"/a": [1, 3], "/b": 2}, "reason": "too large"}]})");
  std::vector<std::int64_t> skipped;
  for (std::int64_t i = 0; i < plan.combinations(); ++i)
    if (plan.filtered(i)) skipped.push_back(i);
  CHECK(skipped == std::vector<std::int64_t>{1, 5});
  CHECK(plan.filtered(5) == "too large");
}

TEST_CASE("a plan that was saved and read again is the same") {
  const SweepPlan plan = planned_study(R"({"base": {"seed": 4}, "vary": [{"/a": [1, "x", {"k": 2}]}],
    "skip": [{"when": {"/a": "x"}, "reason": "why"}], "seeds": 3})");
  const SweepPlan again = SweepPlan::from_saved(json::parse(plan.saved().dump()));
  CHECK(again.saved() == plan.saved());
  CHECK(again.seeds() == 3);
  CHECK(again.filtered(1) == "why");
  CHECK(again.document(2, 1).json == plan.document(2, 1).json);

  json damaged = plan.saved();
  damaged["axes"][0]["points"][1] = json::array();
  CHECK_THROWS_AS((void)SweepPlan::from_saved(damaged), json::exception);
}

TEST_CASE("values on the command line are JSON or texts, and may contain commas in brackets and quotes") {
  CHECK(json(parse_axis("/a=8,16").points) == json::parse("[[8], [16]]"));
  CHECK(json(parse_axis("/a=0ms,1.5s").points) == json::parse(R"([["0ms"], ["1.5s"]])"));
  CHECK(json(parse_axis(R"(/a=[4,8],{"kind":"x","y":[1,2]},"p,q\",r")").points) ==
        json::parse(R"([[[4, 8]], [{"kind": "x", "y": [1, 2]}], ["p,q\",r"]])"));
}

TEST_CASE("a malformed --vary is refused with the expected form") {
  const auto problem = [](const std::string& option) -> std::string {
    try {
      parse_axis(option);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(problem("a=1") == "--vary a=1: not a list of values, expected /json/pointer=A,B,C");
  CHECK(problem("/a") == "--vary /a: not a list of values, expected /json/pointer=A,B,C");
  CHECK(problem("/a=1,,2") == "--vary /a=1,,2: a value is empty, expected /json/pointer=A,B,C");
}

TEST_CASE("errors in a sweep study have their place") {
  CHECK(
      error_of_study(R"({"base": {}})") ==
      "study.json: nothing varies, expected --vary /json/pointer=A,B,C, --seeds N, or a study with \"vary\"");
  CHECK(error_of_study(R"({"base": {}, "vary": [{"/a": [1, 2], "/b": [1]}]})") ==
        "study.json: /vary/0: lists of one axis have 2 and 1 values, got {\"/a\":[1,2],\"/b\":[1]}, expected "
        "lists of equal length, or an axis for each");
  CHECK(error_of_study(R"({"base": {}, "vary": [[{"/a": 1}, {"/b": 1}]]})") ==
        "study.json: /vary/0/1: has different pointers than the point before, got {\"/b\":1}, expected /a");
  CHECK(error_of_study(R"({"base": {}, "vary": [{"a": [1]}]})") ==
        "study.json: /vary/0: \"a\" is not a JSON pointer, got {\"a\":[1]}, expected one such as "
        "/cluster/workers");
  CHECK(error_of_study(R"({"base": {}, "vary": [{"/a": []}]})").starts_with("study.json: /vary/0/~1a: "));
  CHECK(error_of_study(R"({"base": {}, "vary": [{"/a": [1]}, {"/a": [2]}]})") ==
        "study.json: /vary/1: a value varies twice, got /a, expected each pointer once");
  CHECK(error_of_study(R"({"base": {}, "vary": [{"/a": [1, 2, 1]}]})") ==
        "study.json: /vary/0: the same value appears twice, got /a: 1, expected each value once");
  CHECK(error_of_study(
            R"({"base": {}, "vary": [{"/a": [1]}], "skip": [{"when": {"/b": 1}, "reason": "r"}]})") ==
        "study.json: /skip/0/when/~1b: this pointer does not vary, got /b, expected \"/a\"");
  CHECK(error_of_study(
            R"({"base": {}, "vary": [], "seeds": 2, "skip": [{"when": {"/b/c": 1}, "reason": "r"}]})") ==
        "study.json: /skip/0/when/~1b~1c: this pointer does not vary, got /b/c, expected a pointer that "
        "varies; "
        "none does");
  CHECK(error_of_study(R"({"base": {}, "vary": [{"/a": ["1MB", 8]}],
                          "skip": [{"when": {"/a": [8, "1MiB"]}, "reason": "r"}]})") ==
        "study.json: /skip/0/when/~1a: this is not one of the varied values, got \"1MiB\", expected one of "
        "[\"1MB\",8]");
  CHECK(error_of_study(R"({"base": {}, "vary": [{"/a": [[2, 4]]}],
                          "skip": [{"when": {"/a": [2, 4]}, "reason": "r"}]})") ==
        "study.json: /skip/0/when/~1a: this is not one of the varied values, got 2, expected one of [[2,4]]");
  CHECK(error_of_study(R"({"base": "nowhere.json", "vary": [{"/a": [1]}]})") ==
        "study.json: /base: no such file, got \"nowhere.json\", expected a path relative to the study's "
        "file");
  CHECK(error_of_study(R"({"base": {}, "vari": []})")
            .starts_with("study.json: /vari: unknown key (did you mean \"vary\"?)"));
}

TEST_CASE("seeds that vary are not counted up as well, as some would repeat the same draws") {
  CHECK(error_of_study(R"({"base": {}, "vary": [{"/seed": [1, 2]}], "seeds": 3})") ==
        "study.json: /vary/0: the seed varies, although 3 seeds are counted up from it, got /seed, expected "
        "either varied seeds, or a number of seeds (--seeds N, or \"seeds\")");
  const ScratchFolder folder;
  const auto file = folder.write("study.json", R"({"base": {}, "vary": [{"/a": [1]}], "seeds": 3})");
  const auto sweep = [&](int seeds) {
    return read_sweep({.file = file, .varied = {"/seed=1,2"}, .overrides = {}, .seeds = seeds});
  };
  CHECK(error_of(folder.path(), [&] { sweep(2); }).starts_with("--vary /seed=1,2: the seed varies, "));
  CHECK(sweep(1).combinations() == 2);
}

TEST_CASE("seeds are not counted up if jobs have their own since draws would be the same for each") {
  CHECK(error_of_study(R"({"base": {"jobs": [{"name": "a"}, {"seed": 5}]}, "vary": [], "seeds": 3})") ==
        "study.json: /base/jobs/1/seed: a job with its own seed has the same random draws for all 3 seeds, "
        "got 5, "
        "expected jobs without their own seeds; or a single seed, with varied seeds of jobs");
  CHECK(error_of_study(R"({"base": {"jobs": [{}]}, "vary": [{"/jobs/0/seed": [1, 2]}], "seeds": 2})")
            .starts_with(
                "study.json: /vary/0: a job with its own seed has the same random draws for all 2 seeds, got "
                "/jobs/0/seed, "));
  for (const char* varied : {R"({"/jobs/0": [{}, {"seed": 5}]})", R"({"/jobs": [[{}, {"seed": 5}]]})"})
    CHECK(error_of_study(fmt::format(R"({{"base": {{"jobs": [{{}}]}}, "vary": [{}], "seeds": 2}})", varied))
              .starts_with("study.json: /vary/0: a job with its own seed has the same random draws "));
  CHECK(planned_study(R"({"base": {"jobs": [{}]}, "vary": [{"/jobs/0": [{"name": "seed"}]}], "seeds": 2})")
            .seeds() == 2);
  const ScratchFolder folder;
  const auto file = folder.write("jobs.json", R"({"jobs": [{"name": "a"}]})");
  CHECK(error_of(folder.path(), [&] {
          read_sweep({.file = file, .varied = {}, .overrides = {"/jobs/0/seed=4"}, .seeds = 2});
        }).starts_with("--set /jobs/0/seed=4: a job with its own seed has the same random draws "));
  CHECK(read_sweep({.file = file, .varied = {"/jobs/0/seed=1,2"}, .overrides = {}, .seeds = 1})
            .combinations() == 2);
  CHECK(read_sweep({.file = file, .varied = {}, .overrides = {}, .seeds = 2}).seeds() == 2);
}

TEST_CASE("a pointer inside another varied pointer must vary after it, as it would be replaced otherwise") {
  CHECK(error_of_study(R"({"base": {}, "vary": [{"/a/b": [1, 2]}, {"/a": [{"c": 3}, {"c": 4}]}]})") ==
        "study.json: /vary/1: replaces /a/b, which varies before it, got /a, expected the outer pointer "
        "before the inner one");
  const ScratchFolder folder;
  const auto file = folder.write("study.json", R"({"base": {}, "vary": [{"/a/0/b": [1, 2]}]})");
  CHECK(error_of(folder.path(), [&] {
          read_sweep({.file = file, .varied = {"/a/0=3,4"}, .overrides = {}, .seeds = {}});
        }).starts_with("--vary /a/0=3,4: replaces /a/0/b, which varies before it, got /a/0, "));
  const SweepPlan plan = planned_study(
      R"({"base": {}, "vary": [{"/a": [{"c": 3}, {"c": 4}]}, {"/a/b": [1, 2]}, {"/ab": [5]}]})");
  CHECK(plan.document(3, 0).json == json::parse(R"({"a": {"b": 2, "c": 4}, "ab": 5})"));
}

TEST_CASE("the error of a value that varies twice on the command line names the option") {
  const ScratchFolder folder;
  const auto file = folder.write("study.json", R"({"base": {}, "vary": [{"/a": [1]}]})");
  const auto error_with = [&](const std::string& varied) {
    return error_of(folder.path(),
                    [&] { read_sweep({.file = file, .varied = {varied}, .overrides = {}, .seeds = {}}); });
  };
  CHECK(error_with("/a=2,3") == "--vary /a=2,3: a value varies twice, got /a, expected each pointer once");
  CHECK(error_with("/b=2,2") ==
        "--vary /b=2,2: the same value appears twice, got /b: 2, expected each value once");
}

TEST_CASE("the points of a combination and the combination of points are inverse to each other") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/iterations=3,4", "/cluster/workers=4,6,8", "/seed=1,2"});
  CHECK(plan.points_of(11) == std::vector<std::size_t>{1, 2, 1});
  for (std::int64_t i = 0; i < plan.combinations(); ++i) CHECK(plan.combination_of(plan.points_of(i)) == i);
}

TEST_CASE("the combinations that have a value are enumerated") {
  const ScratchFolder folder;
  const SweepPlan plan = plan_of(folder, {"/iterations=3,4", "/cluster/workers=4,6,8", "/seed=1,2"});
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t point = 0; point < plan.axes()[axis].points.size(); ++point)
      for (std::int64_t i = 0; i < 12 / std::ssize(plan.axes()[axis].points); ++i)
        CHECK(plan.values(plan.combination_with(axis, point, i))[axis] ==
              plan.axes()[axis].points[point].front());
  CHECK(plan.combination_with(1, 2, 3) == 11);
}

}  // namespace
}  // namespace starling
