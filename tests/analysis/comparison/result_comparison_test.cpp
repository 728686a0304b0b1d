#include "analysis/comparison/result_comparison.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/comparison/comparison_text.hpp"
#include "analysis/comparison/saved_iterations.hpp"
#include "analysis/results/files/iterations_csv.hpp"
#include "io/scenario_error.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// A result of `ddp` whose mean iteration is 0.1 s forward, 0.2 s backward and `communication_s` exposed,
/// with a 95 % interval of ±3 ms.
SavedResult result_of(const ScratchFolder& folder, const std::string& name, double communication_s,
                      double bandwidth_Bps) {
  SavedResult result{
      .file = folder.path() / name / "result.json",
      .scenario = {{"name", name}, {"seed", 1}, {"cluster", {{"workers", 4}, {"bandwidth", bandwidth_Bps}}}},
      .engine = "fair",
      .runs = {}};
  SavedRun run;
  run.label = "ddp";
  run.algorithm = {{"kind", "ddp"}};
  run.workers = 4;
  run.mean_s = 0.3 + communication_s;
  run.breakdown_s = {.forward = 0.1, .backward = 0.2, .exposed_communication = communication_s};
  run.interval_95_s = Interval{0.297 + communication_s, 0.303 + communication_s};
  result.runs.push_back(std::move(run));
  return result;
}

const std::string column_names =
    "run,label,worker,iteration,is_warmup,end_s,ready_s,duration_s,delay_s,forward_s,backward_s,update_s,"
    "exposed_communication_s,imbalance_wait_s\n";

/// Writes iterations.csv of a result's run: two workers with these durations of counted iterations, after
/// `warmup` iterations of 9 s. Sets the run's mean, workers and iterations accordingly.
void write_iterations(SavedResult& result, const std::vector<double>& durations_s, std::size_t warmup = 1) {
  SavedRun& run = result.runs.front();
  run.workers = 2;
  run.iterations = std::ssize(durations_s);
  run.mean_s = plain_mean(durations_s);
  std::string text = column_names;
  for (int worker = 0; worker < 2; ++worker) {
    for (std::size_t i = 0; i < warmup; ++i)
      text += fmt::format("0,\"ddp, fast\",{},{},1,1,1,9,0,0,0,0,0,0\n", worker, i);
    for (std::size_t i = 0; i < durations_s.size(); ++i)
      text += fmt::format("0,\"ddp, fast\",{},{},0,1,1,{},0,0,0,0,0,0\n", worker, i + warmup, durations_s[i]);
  }
  std::filesystem::create_directories(result.file.parent_path());
  std::ofstream(result.file.parent_path() / "iterations.csv") << text;
}

TEST_CASE("parts of a difference sum to it, and the greatest one comes first") {
  const ScratchFolder folder;
  const std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9),
                                         result_of(folder, "b", 0.02, 2e9)};
  const Comparison comparison = compare_results(results);
  REQUIRE(comparison.runs.size() == 1);
  const RunDifference& difference = comparison.runs[0].others.at(0);
  CHECK(difference.difference_s == about(-0.03));
  CHECK(difference.parts.front().name == "exposed communication");
  const nlohmann::json document = comparison_json(comparison);
  CHECK(document["runs"][0]["others"][0]["parts_s"]["exposed_communication"].get<double>() == about(-0.03));
  double sum_s = 0;
  for (const PartDifference& part : difference.parts) sum_s += part.difference_s;
  CHECK(sum_s == about(difference.difference_s));
  REQUIRE(difference.interval_95_s.has_value());
  CHECK(difference.interval_95_s->least == about(-0.03 - 0.003 * std::sqrt(2.0)));
  CHECK(document["runs"][0]["others"][0]["difference_interval_95_s"] ==
        nlohmann::json{difference.interval_95_s->least, difference.interval_95_s->greatest});
  CHECK(difference.is_significant());
}

TEST_CASE("times that differ only by rounding are shown as equal, without a difference of ±0") {
  const ScratchFolder folder;
  for (const double rounding_s : {-1e-17, 0.0, 1e-17}) {
    const std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9),
                                           result_of(folder, "b", 0.05 + rounding_s, 1e9)};
    const std::string text = comparison_table(compare_results(results));
    CHECK(text.find("350.0 ms") != std::string::npos);
    CHECK(text.find("−0 s") == std::string::npos);
    CHECK(text.find("+0 s") == std::string::npos);
    CHECK(text.find("exposed communication") == std::string::npos);
  }
}

TEST_CASE("a difference by rounding only is not significant, whatever its interval is computed from") {
  const ScratchFolder folder;
  constexpr double rounding_s = 1e-17;
  const auto is_equal = [](const std::vector<SavedResult>& results) {
    const RunDifference difference = compare_results(results).runs[0].others[0];
    REQUIRE(difference.interval_95_s.has_value());
    return difference.difference_s == 0 && difference.interval_95_s->least == 0 &&
           difference.interval_95_s->greatest == 0 && !difference.is_significant();
  };
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9),
                                   result_of(folder, "b", 0.05 + 4 * rounding_s, 2e9)};
  REQUIRE(results[0].runs[0].mean_s != results[1].runs[0].mean_s);
  for (SavedResult& result : results) {
    SavedRun& run = result.runs[0];
    run.interval_95_s = Interval{run.mean_s, run.mean_s};
  }
  CHECK(is_equal(results));
  for (SavedResult& result : results)
    for (const std::uint64_t seed : {1U, 2U, 3U})
      result.runs[0].replications.push_back({.seed = seed, .mean_s = result.runs[0].mean_s});
  CHECK(is_equal(results));
  for (SavedResult& result : results) result.runs[0].replications.clear();
  write_iterations(results[0], std::vector<double>(20, 0.3));
  write_iterations(results[1], std::vector<double>(20, 0.3 + 100 * rounding_s));
  REQUIRE(results[0].runs[0].mean_s != results[1].runs[0].mean_s);
  CHECK(is_equal(results));
}

TEST_CASE("a difference has no interval where one mean covers a fraction of a period") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.08, 1e9)};
  const auto interval = [&] { return compare_results(results).runs[0].others[0].interval_95_s; };
  std::vector<double> durations_s;
  for (int i = 0; i < 30; ++i) durations_s.push_back(0.3 + 0.01 * (i % 4));
  write_iterations(results[0], durations_s);
  for (double& duration_s : durations_s) duration_s += 0.01;
  write_iterations(results[1], durations_s);
  CHECK(interval().has_value());
  for (const std::size_t partial : {std::size_t{0}, std::size_t{1}}) {
    results[partial].runs[0].pattern_period = 4;
    results[1 - partial].runs[0].pattern_period = 1;
    CHECK_FALSE(interval().has_value());
  }
}

TEST_CASE("inputs that differ are listed by their JSON pointers, names of scenarios are not") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.05, 2e9)};
  results[1].engine = "mpi";
  results[1].runs[0].algorithm["bucket_bytes"] = 1000;
  results[1].runs[0].algorithm["bucket_search"] = {{"trials", {{{"iteration_time_s", 0.1}}}}};
  const Comparison comparison = compare_results(results);
  REQUIRE(comparison.inputs.size() == 3);
  CHECK(comparison.inputs[0].pointer == "/cluster/bandwidth");
  CHECK(comparison.inputs[0].values == std::vector<nlohmann::json>{1e9, 2e9});
  CHECK(comparison.inputs[1].pointer == "/engine");
  CHECK(comparison.inputs[2].pointer == "ddp/bucket_bytes");
  CHECK(comparison.inputs[2].values[0].is_null());
  CHECK(comparison.inputs[2].values[1] == "auto");  // a bucket search found the 1000
  CHECK_FALSE(comparison.runs[0].others[0].is_significant());
  CHECK(comparison_table(comparison).find("n.s.") != std::string::npos);
}

TEST_CASE("a long value of an input is cut between UTF-8 characters") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.05, 1e9)};
  results[1].scenario["cluster"]["name"] = std::string(39, 'x') + "é and more";
  CHECK(comparison_table(compare_results(results)).find(std::string(39, 'x') + "…") != std::string::npos);
}

TEST_CASE("differences of aligned iterations exclude the variation that both runs share") {
  const ScratchFolder folder;
  std::vector<double> first_s;
  std::vector<double> other_s;
  for (int i = 0; i < 40; ++i) {
    first_s.push_back(0.3 + 0.1 * (i % 7));
    other_s.push_back(first_s.back() + 0.01 + 0.0001 * (i % 3));
  }
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.0601, 1e9)};
  write_iterations(results[0], first_s);
  write_iterations(results[1], other_s);
  const Comparison comparison = compare_results(results);
  const RunDifference& difference = comparison.runs[0].others[0];
  REQUIRE(difference.aligned.has_value());
  CHECK(difference.aligned->count == 40);
  CHECK(difference.aligned->correlation > 0.999);
  CHECK(difference.aligned->difference_std_s < 1e-4);
  CHECK(difference.is_significant());
  CHECK(difference.interval_95_s->holds(0.0101));
  CHECK(difference.interval_95_s->greatest - difference.interval_95_s->least < 1e-4);
}

TEST_CASE("a difference has no interval where one result still drifts") {
  const ScratchFolder folder;
  const std::vector<double> steady_s(40, 0.35);
  std::vector<double> rising_s;
  for (int i = 0; i < 40; ++i) rising_s.push_back(0.36 + 0.001 * i);
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.08, 1e9)};
  write_iterations(results[0], steady_s);
  write_iterations(results[1], rising_s);
  CHECK(compare_results(results).runs[0].others[0].interval_95_s.has_value());
  for (const std::size_t drifting : {std::size_t{1}, std::size_t{0}}) {
    results[drifting].runs[0].is_drifting = true;
    results[1 - drifting].runs[0].is_drifting = false;
    const Comparison comparison = compare_results(results);
    CHECK(comparison.runs[0].others[0].aligned.has_value());
    CHECK_FALSE(comparison.runs[0].others[0].interval_95_s.has_value());
    CHECK(comparison_json(comparison)["runs"][0]["others"][0]["difference_interval_95_s"].is_null());
  }
}

TEST_CASE("iterations of a repeating pattern are compared by whole periods") {
  const ScratchFolder folder;
  std::vector<double> first_s;
  std::vector<double> other_s;
  for (int i = 0; i < 30;
       ++i) {  // every tenth iteration averages, which takes 100 ms on one network and 50 ms on the other
    first_s.push_back(i % 10 == 9 ? 0.4 : 0.3);
    other_s.push_back(i % 10 == 9 ? 0.35 : 0.3);
  }
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.045, 1e9)};
  write_iterations(results[0], first_s);
  write_iterations(results[1], other_s);
  CHECK(compare_results(results).runs[0].others[0].interval_95_s->least < -0.0051);
  for (SavedResult& result : results) result.runs[0].pattern_period = 10;
  const RunDifference difference = compare_results(results).runs[0].others[0];
  CHECK(difference.is_significant());
  CHECK(difference.interval_95_s->least == about(-0.005, rounding_of_sums));
}

TEST_CASE("where patterns are too long for aligned batches, the interval comes from those of both results") {
  const ScratchFolder folder;
  std::vector<double> durations_s;
  for (int i = 0; i < 24; ++i) durations_s.push_back(i % 2 == 0 ? 0.35 : 0.34);
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.08, 1e9)};
  const auto interval = [&] { return compare_results(results).runs[0].others[0].interval_95_s; };
  const std::optional<Interval> apart = interval();
  REQUIRE(apart.has_value());
  write_iterations(results[0], durations_s);
  write_iterations(results[1], durations_s);
  results[0].runs[0].pattern_period = 3;
  results[1].runs[0].pattern_period = 2;
  const std::optional<Interval> side_by_side = interval();  // the common period is 6: four batches
  REQUIRE(side_by_side.has_value());
  CHECK(side_by_side->greatest == 0);  // aligned iterations are equal
  results[1].runs[0].pattern_period = 4;
  const std::optional<Interval> of_both = interval();  // the common period is 12: only two batches
  REQUIRE(of_both.has_value());
  CHECK(of_both->greatest - of_both->least > 0.9 * (apart->greatest - apart->least));
}

TEST_CASE("iterations.csv of predictions and of measurements, which have a column more, are read alike") {
  for (const bool is_measured : {false, true}) {
    CAPTURE(is_measured);
    const ScratchFolder folder;
    IterationLog log(2);
    for (const double end_s : {1.0, 1.25, 1.75}) {
      log.add(0, {.end_s = end_s, .planned_s = 0.125});
      log.add(1, {.end_s = 2 * end_s, .planned_s = 0.125});
    }
    IterationsCsv csv(folder.path() / "iterations.csv", is_measured);
    csv.add_run("ring, \"fast\"", log, 1);
    csv.add_run("plain", log, 2);
    csv.close();
    const std::vector<SavedIterations> runs = read_iterations(folder.path() / "iterations.csv");
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].numbers == std::vector<std::int64_t>{1, 2});
    CHECK(runs[0].durations_s == std::vector<double>{0.375, 0.75});
    CHECK(runs[0].rows == 4);
    CHECK(runs[1].numbers == std::vector<std::int64_t>{2});
    CHECK(runs[1].durations_s == std::vector<double>{0.75});
  }
}

TEST_CASE("iterations that vary only by rounding have no correlation") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.15, 1e9)};
  write_iterations(results[0], {0.3, 0.3 + 1e-16, 0.3, 0.3});
  write_iterations(results[1], {0.4, 0.4 + 1e-16, 0.4, 0.4});
  const Comparison comparison = compare_results(results);
  REQUIRE(comparison.runs[0].others[0].aligned.has_value());
  CHECK_FALSE(comparison.runs[0].others[0].aligned->correlation.has_value());
  CHECK(comparison_json(comparison)["runs"][0]["others"][0]["aligned"]["correlation"].is_null());
}

TEST_CASE("inputs differ where the contents of named files or the number of seeds differ") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.05, 1e9)};
  for (SavedResult& result : results) {
    result.scenario["name"] = "of the same name";
    result.document = {{"starling", "0.2.0"}, {"scenario_hash", "1"}};
  }
  CHECK(comparison_table(compare_results(results)).find("The inputs are the same.") != std::string::npos);

  results[1].document["scenario_hash"] = "2";
  REQUIRE(compare_results(results).inputs.size() == 1);
  CHECK(compare_results(results).inputs[0].pointer ==
        "hash of the contents of the files that the scenario names");
  CHECK(compare_results(results).inputs[0].values == std::vector<nlohmann::json>{"1", "2"});

  results[1].document["starling"] = "0.3.0";  // the version changes the hash as well
  REQUIRE(compare_results(results).inputs.size() == 1);
  CHECK(compare_results(results).inputs[0].pointer == "version of Starling");

  results[1].document = results[0].document;
  results[1].runs[0].seeds = 3;
  REQUIRE(compare_results(results).inputs.size() == 1);
  CHECK(compare_results(results).inputs[0].pointer == "number of seeds");
  CHECK(compare_results(results).inputs[0].values == std::vector<nlohmann::json>{1, 3});
}

TEST_CASE("iterations are aligned by number, and the table says where results count different ones") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.05, 1e9)};
  write_iterations(results[0], {0.3, 0.4, 0.35, 0.5});  // 1 to 4
  write_iterations(results[1], {0.55, 0.7, 0.5}, 3);    // 3 to 5; the common ones, 3 and 4, take 0.2 s longer
  const Comparison comparison = compare_results(results);
  CHECK(comparison.runs[0].first_counted == IterationNumbers{1, 4});
  const RunDifference& difference = comparison.runs[0].others[0];
  CHECK(difference.counted == IterationNumbers{3, 5});
  REQUIRE(difference.aligned.has_value());
  CHECK(difference.aligned->count == 2);
  CHECK(*difference.aligned->correlation == about(1));
  CHECK(difference.aligned->difference_std_s < rounding_of_sums);
  REQUIRE(difference.interval_95_s
              .has_value());  // from the intervals of both results, whose means cover different iterations
  CHECK(difference.interval_95_s->greatest - difference.difference_s ==
        about(0.003 * std::sqrt(2.0), rounding_of_sums));
  CHECK(comparison_table(comparison).find("2: A counts 1–4, B 3–5") != std::string::npos);
  CHECK(comparison_json(comparison)["runs"][0]["others"][0]["counted_iterations"] == nlohmann::json{3, 5});
}

TEST_CASE("the table says where results have no iteration in common") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.05, 1e9)};
  write_iterations(results[0], {0.3, 0.4, 0.3});
  write_iterations(results[1], {0.3, 0.4}, 4);
  const Comparison comparison = compare_results(results);
  CHECK_FALSE(comparison.runs[0].others[0].aligned.has_value());
  CHECK(comparison_table(comparison).find("none: A counts 1–3, B 4–5") != std::string::npos);
}

TEST_CASE("iterations are not aligned for means over several seeds, whose interval comes from both results") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.02, 1e9)};
  write_iterations(results[0], {0.3, 0.4, 0.3});
  write_iterations(results[1], {0.3, 0.4, 0.4});
  for (SavedResult& result : results) result.runs[0].seeds = 3;
  results[0].runs[0].mean_s = 0.35;  // of all seeds
  results[1].runs[0].mean_s = 0.32;
  const RunDifference difference = compare_results(results).runs[0].others[0];
  CHECK_FALSE(difference.aligned.has_value());
  REQUIRE(difference.interval_95_s.has_value());
  CHECK(difference.interval_95_s->least == about(-0.03 - 0.003 * std::sqrt(2.0)));
  CHECK(difference.interval_95_s->greatest == about(-0.03 + 0.003 * std::sqrt(2.0)));
}

TEST_CASE("each result is compared with the first, and algorithms that not all have are listed") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.02, 1e9),
                                   result_of(folder, "c", 0.08, 1e9)};
  results[2].runs.push_back(results[2].runs[0]);
  results[2].runs[1].label = "dear";
  results[0].runs[0].links = {{"host0 -> switch0", 1e6, 0.001, 0.02}, {"host1 -> switch0", 2e6, 0.002, 0.04}};
  const Comparison comparison = compare_results(results);
  CHECK(comparison.runs[0].others[0].difference_s == about(-0.03));
  CHECK(comparison.runs[0].others[1].difference_s == about(0.03));
  CHECK(comparison.not_in_all == std::vector<std::string>{"dear"});
  CHECK(comparison.runs[0].first_busiest->name == "host1 -> switch0");
  const auto document = comparison_json(comparison);
  CHECK(document.at("runs")[0].at("others").size() == 2);
  CHECK(document.at("runs")[0].at("busiest_link").at("bound_s") == 0.002);
}

TEST_CASE("critical paths are compared by kind of time, by rank and by link") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.11, 1e9)};
  results[0].runs[0].path = {{"compute", "compute of rank 0", 0.3}, {"link", "link host0 -> switch0", 0.05}};
  CHECK(compare_results(results).runs[0].others[0].path.empty());
  CHECK(comparison_table(compare_results(results)).find("critical") == std::string::npos);

  results[1].runs[0].path = {{"compute", "compute of rank 1", 0.3},
                             {"latency", "latency", 0.06},
                             {"link", "link host0 -> switch0", 0.03},
                             {"link", "link host1 -> switch0", 0.02}};
  const Comparison comparison = compare_results(results);
  const RunDifference& difference = comparison.runs[0].others[0];
  REQUIRE(difference.path.size() == 3);
  CHECK(difference.path.front().name == "latency");
  double sum_s = 0;
  for (const PartDifference& part : difference.path) sum_s += part.difference_s;
  CHECK(sum_s == about(difference.difference_s));
  REQUIRE(difference.path_parts.size() == 5);
  CHECK(difference.path_parts[0].name == "compute of rank 0");
  CHECK(difference.path_parts[0].difference_s == about(-0.3));
  CHECK(comparison_table(comparison).find("  latency +60.00 ms  ") != std::string::npos);
  CHECK(comparison_json(comparison)["runs"][0]["others"][0]["critical_path_s"]["latency"] == 0.06);
}

TEST_CASE("the link whose load changed most is named, and none if no load changed") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.11, 1e9)};
  results[0].runs[0].links = {{"host0 -> switch0", 1e6, 0.035, 0.1}, {"host1 -> switch0", 1e6, 0.035, 0.1}};
  results[1].runs[0].links = results[0].runs[0].links;
  for (SavedLink& link : results[1].runs[0].links)
    link.busy_fraction = 0.035 / 0.41;  // as many seconds, a smaller share
  const Comparison same = compare_results(results);
  CHECK_FALSE(same.runs[0].others[0].changed_link.has_value());
  CHECK(same.runs[0].first_busiest->as_busy == 1);
  CHECK(comparison_table(same).find("host0 -> switch0 and 1 other") != std::string::npos);

  results[1].runs[0].links[1].bound_s = 0.07;
  const Comparison comparison = compare_results(results);
  REQUIRE(comparison.runs[0].others[0].changed_link.has_value());
  CHECK(comparison.runs[0].others[0].changed_link->bound_s == about(0.035));
  CHECK(comparison.runs[0].others[0].changed_link->as_much == 0);
  CHECK(comparison_table(comparison).find("host1 -> switch0: bound +35.00 ms, busy ") != std::string::npos);
  CHECK(comparison_json(comparison)["runs"][0]["others"][0]["changed_link"]["name"] == "host1 -> switch0");
}

TEST_CASE("results without a common algorithm, and malformed rows of iterations.csv, are errors") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.02, 1e9)};
  results[1].runs[0].label = "dear";
  CHECK_THROWS_WITH_AS((void)compare_results(results), doctest::Contains("no algorithm is in all results"),
                       ScenarioError);
  for (const char* row : {"0,ddp,1", "0,ddp,0,x,0,1,1,0.3,0,0,0,0,0,0", "0,ddp,0,0,0,1,1,nan,0,0,0,0,0,0",
                          "-1,ddp,0,0,0,1,1,0.3,0,0,0,0,0,0", "0,ddp,0,99999999999,0,1,1,0.3,0,0,0,0,0,0"}) {
    CAPTURE(row);
    const auto file = folder.write("iterations.csv", column_names + row + "\n");
    CHECK_THROWS_WITH_AS((void)read_iterations(file), doctest::Contains("line 2"), ScenarioError);
  }
  const auto file = folder.write("iterations.csv", "run,label,worker,iteration,is_warmup\n");
  CHECK_THROWS_WITH_AS((void)read_iterations(file), doctest::Contains("a column duration_s"), ScenarioError);
  CHECK(read_iterations(folder.path() / "nothing.csv").empty());
}

TEST_CASE("an iterations.csv that does not belong to its result is an error that says what differs") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.02, 1e9)};
  for (SavedResult& result : results) write_iterations(result, {0.3, 0.4, 0.35});
  const auto error_with = [&](const std::function<void(SavedRun&)>& change) {
    std::vector<SavedResult> changed = results;
    change(changed[1].runs[0]);
    return error_of(folder.path(), [&] { (void)compare_results(changed); });
  };
  CHECK(error_with([](SavedRun&) {}) == "no error");
  CHECK(error_with([](SavedRun& run) { run.mean_s *= 1 + 1e-9; }) == "no error");
  const std::string other_mean = error_with([](SavedRun& run) { run.mean_s = 0.3; });
  CHECK(other_mean.starts_with("b/iterations.csv: these are not the iterations of b/result.json"));
  CHECK(other_mean.find("of ddp, not 0.3") != std::string::npos);
  CHECK(error_with([](SavedRun& run) { run.iterations = 4; }).find("3 counted iterations of ddp, not 4") !=
        std::string::npos);
  CHECK(error_with([](SavedRun& run) { run.workers = 3; }).find("6 rows of the counted iterations") !=
        std::string::npos);
  results[1].runs.push_back(results[1].runs[0]);
  CHECK(error_with([](SavedRun&) {}).find("1 runs, not 2") != std::string::npos);
  results[1].file.replace_filename("copy.json");  // a file of another name need not belong to iterations.csv
  CHECK(error_with([](SavedRun&) {}) == "no error");
}

TEST_CASE("an iterations.csv that is cut off or cannot be read is an error") {
  const ScratchFolder folder;
  const std::string row = "0,ddp,0,0,0,1,1,0.35,0,0,0,0,0,0";
  const auto file = folder.write("iterations.csv", column_names + row.substr(0, row.size() - 2));
  CHECK_THROWS_WITH_AS((void)read_iterations(file), doctest::Contains("ends within a line"), ScenarioError);
  folder.write("iterations.csv", column_names + row);
  CHECK_THROWS_WITH_AS((void)read_iterations(file), doctest::Contains("line 2"), ScenarioError);
  folder.write("iterations.csv", "");
  CHECK_THROWS_AS((void)read_iterations(file), ScenarioError);
  const std::filesystem::path failing = folder.path() / "failing.csv";
  std::filesystem::create_symlink("/proc/self/mem", failing);  // reading address 0 fails
  CHECK_THROWS_WITH_AS((void)read_iterations(failing), doctest::Contains("cannot be read"), ScenarioError);
}

TEST_CASE("runs of the same seeds are compared in pairs") {
  const ScratchFolder folder;
  std::vector<SavedResult> results{result_of(folder, "a", 0.05, 1e9), result_of(folder, "b", 0.057, 1e9)};
  for (SavedResult& result : results) {
    SavedRun& run = result.runs[0];
    run.seeds = 4;
    run.interval_95_s = Interval{run.mean_s - 0.05, run.mean_s + 0.05};
    for (const std::uint64_t seed :
         {1U, 2U, 3U, 4U})  // means of seeds vary by ±30 ms, more than the difference of 7 ms
      run.replications.push_back({seed, run.mean_s + 0.02 * (static_cast<double>(seed) - 2.5)});
  }
  results[1].runs[0].replications[0].mean_s += 0.0004;
  results[1].runs[0].replications[3].mean_s -= 0.0004;
  const RunDifference paired = compare_results(results).runs[0].others[0];
  CHECK(paired.is_significant());
  REQUIRE(paired.interval_95_s.has_value());
  // Paired differences deviate by 0.4, 0, 0, −0.4 ms from their mean: a standard error of √(0.32/3/4) ms,
  // times 3.18245, Student's t for 3 degrees of freedom at 95 %.
  CHECK(paired.interval_95_s->least == about(0.007 - 3.18245e-3 * std::sqrt(0.32 / 12), 1e-6));
  CHECK(paired.interval_95_s->greatest == about(0.007 + 3.18245e-3 * std::sqrt(0.32 / 12), 1e-6));

  std::vector<SavedResult> drifting = results;
  drifting[0].runs[0].is_drifting = true;
  CHECK_FALSE(compare_results(drifting).runs[0].others[0].interval_95_s.has_value());
  results[1].runs[0].replications[3].seed = 5;
  CHECK_FALSE(compare_results(results).runs[0].others[0].is_significant());
}

}  // namespace
}  // namespace starling
