#include "analysis/results/replications.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "analysis/results/files/result_json.hpp"
#include "analysis/results/files/saved_result.hpp"
#include "hand_made_results.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// A result of two algorithms with the mean iteration times `mean_s` and half of it, in seconds.
Result result_with(double mean_s) {
  Result result = hand_made_result();
  result.runs = {hand_made_run("first", mean_s), hand_made_run("second", mean_s / 2)};
  return result;
}

TEST_CASE("a result of several seeds has the mean of their means, its standard error, and paired speed-ups") {
  const std::vector<Result> results{result_with(2), result_with(4), result_with(9)};
  const std::vector<std::uint64_t> seeds{7, 8, 9};
  const Result all = combine_replications(results, seeds);
  REQUIRE(all.runs.size() == 2);
  const RunResult& first = all.runs[0];
  CHECK(first.iteration_time_s.mean == about(5));
  CHECK(first.sampling.mean_s.standard_error == about(std::sqrt(26.0 / 6)));
  CHECK(first.sampling.mean_s.degrees_of_freedom == 2);
  REQUIRE(first.replications.size() == 3);
  CHECK(first.replications[2].seed == 9);
  CHECK(first.replications[2].mean_s == 9);
  CHECK(!first.speedup_interval_95);
  const RunResult& second = all.runs[1];
  CHECK(*second.speedup == about(2));
  // Seeds are paired: times differ from seed to seed, but their ratio is 2 for each.
  CHECK(second.speedup_interval_95->least == about(2));
  CHECK(second.speedup_interval_95->greatest == about(2));
}

TEST_CASE("an algorithm that all seeds have ended is combined before the other algorithms have ended") {
  std::vector<Result> results{result_with(2), result_with(4), result_with(9)};
  const std::vector<std::uint64_t> seeds{7, 8, 9};
  const Result all = combine_replications(results, seeds);
  results.back().runs.pop_back();
  const Result first = combine_replications(results, seeds);
  REQUIRE(first.runs.size() == 1);
  CHECK(run_json(first.runs[0]) == run_json(all.runs[0]));
}

TEST_CASE("makespan and breakdown of several seeds are means over seeds") {
  std::vector<Result> results{result_with(2), result_with(4), result_with(9)};
  for (std::size_t i = 0; i < results.size(); ++i) {
    RunResult& run = results[i].runs[0];
    run.makespan_s = 10 * (1 + static_cast<double>(i * i));
    run.breakdown_s.forward = 1 + static_cast<double>(i * i);
  }
  const RunResult all = combine_replications(results, std::vector<std::uint64_t>{1, 2, 3}).runs[0];
  CHECK(all.makespan_s == about(80.0 / 3));
  CHECK(all.breakdown_s.forward == about(8.0 / 3));
}

TEST_CASE("no interval of a time or a speed-up begins below 0") {
  std::vector<Result> results{result_with(1), result_with(9)};
  results[0].runs[1].iteration_time_s.mean = 8;
  results[1].runs[1].iteration_time_s.mean = 1;
  const std::vector<std::uint64_t> seeds{1, 2};
  const Result all = combine_replications(results, seeds);
  CHECK(all.runs[1].speedup_interval_95->least == 0);
  CHECK(all.runs[1].speedup_interval_95->greatest > *all.runs[1].speedup);
  const auto document = result_json(all);
  CHECK(document.at("runs")[0].at("interval_95_s")[0] == 0);
  CHECK(document.at("runs")[0].at("interval_95_s")[1] > 5);
}

TEST_CASE("the mean over seeds has no error where other than whole periods are counted") {
  std::vector<Result> results{result_with(2), result_with(4), result_with(9)};
  const std::vector<std::uint64_t> seeds{1, 2, 3};
  for (Result& result : results) result.runs[1].pattern_period = 10;  // 18 iterations are counted
  const Result all = combine_replications(results, seeds);
  CHECK(all.runs[0].sampling.mean_s.has_error());
  CHECK_FALSE(all.runs[1].sampling.mean_s.has_error());
  CHECK(all.runs[1].iteration_time_s.mean == about(2.5));
  CHECK(*all.runs[1].speedup == about(2));
  const auto document = result_json(all).at("runs")[1];
  for (const char* key : {"standard_error_s", "interval_95_s", "speedup_interval_95"})
    CHECK(document.at(key).is_null());
  for (Result& result : results) result.runs[1].pattern_period = 9;
  CHECK(combine_replications(results, seeds).runs[1].speedup_interval_95.has_value());
}

TEST_CASE("whole periods are checked for each seed, not for the mean number of iterations") {
  const auto told = [](std::int64_t first, std::int64_t second) {
    std::vector<Result> results{result_with(2), result_with(4)};
    results[0].runs[1].iterations = first;
    results[1].runs[1].iterations = second;
    for (Result& result : results) result.runs[1].pattern_period = 10;
    const Result all = combine_replications(results, std::vector<std::uint64_t>{1, 2});
    const RunResult& run = all.runs[1];
    const nlohmann::json block = result_json(all).at("runs")[1];
    const auto counted = counted_partially(run.iterations, run.pattern_period, run.replications);
    CHECK(counted_partially(block) == counted);
    CHECK(block.at("replications")[1].contains("iterations") == (first != second));
    return counted;
  };
  CHECK_FALSE(told(20, 30));  // the mean 25 is no multiple of 10, but 20 and 30 are
  CHECK(told(15, 25) == 15);  // the mean 20 is a multiple of 10, but 15 and 25 are not
  CHECK(told(20, 25) == 25);
  CHECK(told(18, 18) == 18);
}

TEST_CASE("the mean over seeds has no error where a seed still drifts") {
  std::vector<Result> results{result_with(2), result_with(4), result_with(9)};
  results[1].runs[1].sampling.drift_s = Drift{.first = 1, .last = 3};
  const Result all = combine_replications(results, std::vector<std::uint64_t>{1, 2, 3});
  CHECK(all.runs[0].sampling.mean_s.has_error());
  CHECK_FALSE(all.runs[1].sampling.mean_s.has_error());
  CHECK_FALSE(all.runs[1].speedup_interval_95);
  CHECK(all.runs[1].sampling.drift_s->last == 3);
}

TEST_CASE("speed-ups over seeds have no interval if the first algorithm has partial periods") {
  std::vector<Result> results{result_with(2), result_with(4)};
  const std::vector<std::uint64_t> seeds{1, 2};
  for (Result& result : results) result.runs[0].pattern_period = 4;
  const Result all = combine_replications(results, seeds);
  CHECK(all.runs[1].sampling.mean_s.has_error());
  CHECK_FALSE(all.runs[1].speedup_interval_95);
}

TEST_CASE("the variance of all iterations is the variance within seeds plus that between them") {
  const std::vector<Result> results{result_with(2), result_with(4)};
  const std::vector<std::uint64_t> seeds{1, 2};
  const double within = results[0].runs[0].iteration_time_s.std;
  const Result all = combine_replications(results, seeds);
  CHECK(all.runs[0].iteration_time_s.std == about(std::sqrt(within * within + 1)));
  CHECK(all.runs[0].iteration_time_s.min == results[0].runs[0].iteration_time_s.min);
  CHECK(all.runs[0].iteration_time_s.max == results[1].runs[0].iteration_time_s.max);
}

TEST_CASE("throughput over seeds is the harmonic mean since each has equally many samples") {
  std::vector<Result> results{result_with(2), result_with(4)};
  results[0].runs[0].throughput_samples_per_s = 30;
  results[1].runs[0].throughput_samples_per_s = 20;
  results[1].runs[1].throughput_samples_per_s.reset();
  const std::vector<std::uint64_t> seeds{1, 2};
  const Result all = combine_replications(results, seeds);
  CHECK(*all.runs[0].throughput_samples_per_s == about(24));
  CHECK_FALSE(all.runs[1].throughput_samples_per_s);
}

TEST_CASE("a result of one seed has no replications") {
  const std::vector<Result> results{result_with(2)};
  const std::vector<std::uint64_t> seeds{1};
  CHECK(combine_replications(results, seeds).runs[0].replications.empty());
}

}  // namespace
}  // namespace starling
