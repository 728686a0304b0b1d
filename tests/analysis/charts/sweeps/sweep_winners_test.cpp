#include "analysis/charts/sweeps/sweep_winners.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/charts/sweeps/sweep_answer.hpp"
#include "analysis/charts/sweeps/sweep_axes.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "tests/analysis/running/scenario_text.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

using Sureness = SweepWinner::Sureness;

/// The sentences that answer a sweep. `times_s` has, for each combination in the plan's order, the mean times
/// of "ring" and, if there is a second, "ddp".
std::vector<std::string> answer_where(const std::vector<std::string>& varied,
                                      const std::vector<std::vector<double>>& times_s) {
  const ScratchFolder folder;
  const SweepPlan plan = read_sweep({.file = folder.write("base.json", scenario_text("base", 4, 1, "ddp")),
                                     .varied = varied,
                                     .overrides = {},
                                     .seeds = {}});
  REQUIRE(std::ssize(times_s) == plan.combinations());
  SweepCompetition competition(plan);
  for (std::size_t i = 0; i < times_s.size(); ++i)
    for (std::size_t place = 0; place < times_s[i].size(); ++place)
      competition.add(static_cast<std::int64_t>(i), place, {place == 0 ? "ring" : "ddp", times_s[i][place]});
  const std::vector<SweepWinner> winners = competition.winners();
  if (winners.empty()) return {};
  const ReportTable table{.columns = {{"algorithm", "algorithm"}}, .values = {{"ring", "ddp"}}};
  return answer_of(plan, sweep_axes(plan, table).at("dimensions"), winners);
}

TEST_CASE("combinations that differ only in an algorithm's options compete, and answers name these options") {
  const std::string unsure = "The uncertainty of these means is unknown.";
  using Answer = std::vector<std::string>;
  CHECK(
      answer_where({"/algorithms/0/bucket=1MB,2MB", "/cluster/workers=4,8"}, {{3}, {2}, {2}, {3}}) ==
      Answer{"Fastest by the mean, of 2 combinations of workers: ring with bucket 1MB in 1, ring with bucket "
             "2MB in 1.",
             "By the mean, ring with bucket 2MB is the fastest at workers 4, ring with bucket 1MB at 8.",
             unsure});
  CHECK(answer_where({"/cluster/workers=4,8", "/algorithms/0/bucket=1MB,2MB"},
                     {{3, 1}, {2, 1}, {2, 4}, {3, 4}}) ==
        Answer{"Fastest by the mean, of 2 combinations of workers: ddp in 1, ring with bucket 1MB in 1.",
               "By the mean, ddp is the fastest at workers 4, ring with bucket 1MB at 8.", unsure});
  CHECK(answer_where({"/algorithms/0/bucket=1MB,2MB"}, {{3}, {2}}) ==
        Answer{"Fastest by the mean: ring with bucket 2MB.", unsure});
  CHECK(answer_where({"/cluster/workers=4,8"}, {{3}, {2}}).empty());
}

TEST_CASE("a winner is certain where no other algorithm's interval overlaps its own") {
  const auto winner = [](std::vector<FoundTime> times) { return winner_of(3, times); };
  const FoundTime fast{"fast", 1, Interval{0.9, 1.1}};
  CHECK(winner({fast, {"slow", 2, Interval{1.9, 2.1}}}).sureness == Sureness::for_sure);
  CHECK(winner({fast, {"slow", 2, Interval{1.05, 2.1}}}).sureness == Sureness::not_for_sure);
  CHECK(winner({fast, {"alike", 1, Interval{0.9, 1.1}}}).algorithms ==
        std::vector<std::string>{"fast", "alike"});
  CHECK(winner({fast, {"alike", 1, Interval{0.9, 1.1}}}).sureness == Sureness::not_for_sure);
  CHECK(winner({{"fast", 1}, {"slow", 2}}).sureness == Sureness::unknown);
  const SweepWinner undecided = winner({fast, {"slow", 2}});
  CHECK(undecided.sureness == Sureness::not_for_sure);
  CHECK(undecided.without_interval == std::vector<std::string>{"slow"});
  CHECK(undecided.combination == 3);
}

}  // namespace
}  // namespace starling
