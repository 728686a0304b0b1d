#include "analysis/charts/sweep_winners.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/charts/sweep_axes.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "tests/analysis/running/scenario_text.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

using Sureness = SweepWinner::Sureness;

/// What is said where combinations of these values have these winners, in the order of the plan.
class WonSweep {
 public:
  explicit WonSweep(std::vector<std::string> varied)
      : plan_(read_sweep({.file = folder_.write("base.json", scenario_text("base", 4, 1, "ddp")),
                          .varied = std::move(varied),
                          .overrides = {},
                          .seeds = {}})) {}

  /// "a", "a=b" where both take as long, "a?" where that is not for sure.
  std::string text(const std::vector<std::string>& won) const {
    REQUIRE(std::ssize(won) == plan_.combinations());
    std::vector<SweepWinner> winners;
    for (const std::string& each : won) {
      SweepWinner winner{.combination = std::ssize(winners), .algorithms = {}};
      winner.sureness = each.ends_with('?') ? Sureness::not_for_sure : Sureness::for_sure;
      for (const char letter : each)
        if (letter != '=' && letter != '?') winner.algorithms.emplace_back(1, letter);
      winners.push_back(std::move(winner));
    }
    const ReportTable table{.columns = {{"algorithm", "algorithm"}}, .values = {{"a", "b", "c"}}};
    return where_fastest_text(plan_, sweep_axes(plan_, table).at("dimensions"), winners);
  }

 private:
  ScratchFolder folder_;
  SweepPlan plan_;
};

TEST_CASE("the answer says at which values of a dimension each algorithm is the fastest") {
  const WonSweep workers({"/cluster/workers=64,4,8,16"});
  CHECK(workers.text({"b", "a", "a", "b"}) ==
        "By the mean, a is the fastest at workers 4 and 8, b at 16 and 64.");
  CHECK(workers.text({"b", "a", "a", "a"}) == "By the mean, a is the fastest at workers 4 to 16, b at 64.");
  CHECK(workers.text({"b", "a", "b", "a"}) ==
        "By the mean, a is the fastest at workers 4 and 16, b at 8 and 64.");
  CHECK(workers.text({"a", "a", "a", "a"}) == "");
}

TEST_CASE("the answer says where it is not for sure who is the fastest, and where some take as long") {
  const WonSweep workers({"/cluster/workers=4,8,64"});
  CHECK(workers.text({"a", "a?", "b?"}) ==
        "By the mean, a is the fastest at workers 4 and 8 (not always for sure), b at 64 (not for sure).");
  CHECK(workers.text({"a=b", "a", "b=c"}) ==
        "By the mean, a and b tie as the fastest at workers 4, a at 8, b and c alike at 64.");
  CHECK(workers.text({"a=b", "a=b", "a=b"}) == "In all of them a and b take equally long.");
}

TEST_CASE("of two dimensions the answer names one where that alone decides, else both") {
  const WonSweep both({"/cluster/network/link/bandwidth=100Gbps,1Gbps", "/cluster/workers=4,8,64"});
  CHECK(both.text({"a", "a", "a", "b", "b", "b"}) ==
        "By the mean, b is the fastest at bandwidth 1Gbps, a at 100Gbps.");
  CHECK(both.text({"a", "a", "a", "b", "b", "a?"}) ==
        "The fastest by the mean at bandwidth 1Gbps: b at workers 4 and 8, a at 64 (not for sure); at "
        "100Gbps: a.");
}

TEST_CASE("where more decides than two sentences hold the answer says what does") {
  const WonSweep three({"/cluster/network/link/bandwidth=1Gbps,100Gbps", "/cluster/workers=4,8",
                        "/workload/batch_size=16,32"});
  CHECK(three.text({"a", "b", "b", "a", "b", "a", "a", "b"}) ==
        "Which one it is depends on workers, bandwidth and batch_size, as the table of all combinations "
        "tells.");
}

/// What answers are of a sweep of two algorithms; `times_s`: of each combination, those of both.
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

TEST_CASE("combinations that differ by algorithms alone compete, and what varies tells these apart") {
  const std::string unsure = "Nothing tells how sure these means are.";
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

TEST_CASE("a winner is for sure where no interval of another one overlaps its own") {
  const auto winner = [](std::vector<FoundTime> times) { return winner_of(3, times); };
  const FoundTime fast{"fast", 1, Interval{0.9, 1.1}};
  CHECK(winner({fast, {"slow", 2, Interval{1.9, 2.1}}}).sureness == Sureness::for_sure);
  CHECK(winner({fast, {"slow", 2, Interval{1.05, 2.1}}}).sureness == Sureness::not_for_sure);
  CHECK(winner({fast, {"alike", 1, Interval{0.9, 1.1}}}).algorithms ==
        std::vector<std::string>{"fast", "alike"});
  CHECK(winner({fast, {"alike", 1, Interval{0.9, 1.1}}}).sureness == Sureness::not_for_sure);
  CHECK(winner({{"fast", 1}, {"slow", 2}}).sureness == Sureness::untold);
  const SweepWinner undecided = winner({fast, {"slow", 2}});
  CHECK(undecided.sureness == Sureness::not_for_sure);
  CHECK(undecided.without_interval == std::vector<std::string>{"slow"});
  CHECK(undecided.combination == 3);
}

}  // namespace
}  // namespace starling
