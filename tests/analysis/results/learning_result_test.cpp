#include "analysis/results/learning_result.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "analysis/results/files/learning_csv.hpp"
#include "hand_made_results.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

/// The learning result of evaluations after 0, 1, 2, … iterations with these losses. Iterations end at 1,
/// 29/16 and 50/16 s.
LearningResult learning_result_of(std::vector<double> losses, std::optional<double> target_loss) {
  const LearningOptions options{
      .task_name = "made up", .task = {}, .optimizer = {}, .target_loss = target_loss};
  std::vector<LearningRecord> records;
  for (const double loss : losses)
    records.push_back({.iterations = static_cast<std::int64_t>(records.size()), .loss = loss});
  return learning_result(options, records, two_workers_log());
}

TEST_CASE("Evaluations have the times of the ends of iterations, the first one that of the start") {
  const LearningResult result = learning_result_of({8, 4, 2, 1}, {});
  CHECK(result.task == "made up");
  REQUIRE(result.rows.size() == 4);
  CHECK(result.rows[0].time_s == 0);
  CHECK(result.rows[1].time_s == 1);
  CHECK(result.rows[2].time_s == 29.0 / 16);
  CHECK(result.rows[3].time_s == 50.0 / 16);
  CHECK(result.rows[3].record.loss == 1);
}

/// A log of two workers whose iterations take 1 s and 3 s.
IterationLog unequal_workers_log(int iterations) {
  IterationLog log(2);
  for (int n = 1; n <= iterations; ++n) {
    log.add(0, {.end_s = 1.0 * n});
    log.add(1, {.end_s = 3.0 * n});
  }
  return log;
}

TEST_CASE(
    "An evaluation after n iterations has the time at which workers together have ended n iterations each on "
    "average") {
  const LearningOptions options{.task_name = "made up", .task = {}, .optimizer = {}, .target_loss = {}};
  const std::vector<LearningRecord> records = {{.iterations = 1}, {.iterations = 2}, {.iterations = 4}};
  const LearningResult result = learning_result(options, records, unequal_workers_log(4));
  CHECK(result.rows[0].time_s == 2);
  CHECK(result.rows[1].time_s == 3);
  CHECK(result.rows[2].time_s == 12);
}

TEST_CASE("A target that is met after a worker has ended all its iterations comes with a caution") {
  const LearningOptions options{.task_name = "made up", .task = {}, .optimizer = {}, .target_loss = 1};
  const auto caution = [&](std::int64_t met_after) {
    std::vector<LearningRecord> records;
    for (std::int64_t n = 1; n <= 4; ++n)
      records.push_back({.iterations = n, .loss = n < met_after ? 2.0 : 1.0});
    return learning_result(options, records, unequal_workers_log(4)).caution;
  };
  CHECK(caution(2).empty());
  CHECK(caution(3) ==
        "the target was reached after the fastest worker had ended its last iteration, at 4.000 s; with more "
        "iterations it may be reached sooner");
  CHECK(caution(5).empty());  // not met
}

TEST_CASE("The time to the target is that of the first loss not above it, even if later losses are") {
  const LearningResult result = learning_result_of({8, 4, 9, 1}, 4);
  CHECK(result.time_to_target_s == 1);
  CHECK(result.reason.empty());
  CHECK(learning_result_of({3, 4, 9, 1}, 4).time_to_target_s == 0);
}

TEST_CASE("Where there is no time to the target there is a reason") {
  CHECK(learning_result_of({8, 4, 2, 5.125}, 1).reason ==
        "the loss was 5.125 after 3 iterations, above the target of 1");
  CHECK(learning_result_of({8, 4}, {}).reason == "no target loss was set");
  CHECK(learning_result_of({8, 4, NAN, NAN}, 1).reason ==
        "training diverged: the loss was not a finite number after 2 iterations");
  CHECK(learning_result_of({8, INFINITY, 4}, 1).reason ==
        "training diverged: the loss was not a finite number after 1 iteration");
  CHECK(learning_result_of({8, NAN}, {}).reason ==
        "training diverged: the loss was not a finite number after 1 iteration");
  CHECK_FALSE(learning_result_of({8, NAN}, 1).time_to_target_s);
}

TEST_CASE("learning.csv has a row per run and evaluation, with empty fields for NaN and infinity") {
  const ScratchFolder folder;
  LearningCsv csv(folder.path() / "learning.csv");
  csv.add_run("ring, fast", learning_result_of({8, 0.1}, {}));
  csv.add_run("dear", learning_result_of({8, NAN, INFINITY}, {}));
  csv.close();
  CHECK(contents_of(folder.path() / "learning.csv") ==
        "run,label,iteration,time_s,loss,consensus_distance\n"
        "0,\"ring, fast\",0,0,8,0\n"
        "0,\"ring, fast\",1,1,0.1,0\n"
        "1,dear,0,0,8,0\n"
        "1,dear,1,1,,0\n"
        "1,dear,2,1.8125,,0\n");
}

}  // namespace
}  // namespace starling
