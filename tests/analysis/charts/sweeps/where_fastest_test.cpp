#include "analysis/charts/sweeps/where_fastest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/charts/sweeps/sweep_axes.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "tests/analysis/running/scenario_text.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

using Sureness = SweepWinner::Sureness;

/// A sweep over these values whose winners a test chooses.
class WonSweep {
 public:
  explicit WonSweep(std::vector<std::string> varied)
      : plan_(read_sweep({.file = folder_.write("base.json", scenario_text("base", 4, 1, "ddp")),
                          .varied = std::move(varied),
                          .overrides = {},
                          .seeds = {}})) {}

  /// The sentence for these winners, one for each combination in the plan's order: "a", "a=b" for a tie, "a?"
  /// for a winner that is not certain.
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

TEST_CASE("the answer says where the winner is not certain, and where algorithms tie") {
  const WonSweep workers({"/cluster/workers=4,8,64"});
  CHECK(workers.text({"a", "a?", "b?"}) ==
        "By the mean, a is the fastest at workers 4 and 8 (not always certainly), b at 64 (not certainly).");
  CHECK(workers.text({"a=b", "a", "b=c"}) ==
        "By the mean, a and b tie as the fastest at workers 4, a at 8, b and c alike at 64.");
  CHECK(workers.text({"a=b", "a=b", "a=b"}) == "In all of them a and b take equally long.");
}

TEST_CASE("of two dimensions the answer names only the one that decides, or both if neither does alone") {
  const WonSweep both({"/cluster/network/link/bandwidth=100Gbps,1Gbps", "/cluster/workers=4,8,64"});
  CHECK(both.text({"a", "a", "a", "b", "b", "b"}) ==
        "By the mean, b is the fastest at bandwidth 1Gbps, a at 100Gbps.");
  CHECK(both.text({"a", "a", "a", "b", "b", "a?"}) ==
        "The fastest by the mean at bandwidth 1Gbps: b at workers 4 and 8, a at 64 (not certainly); at "
        "100Gbps: a.");
}

TEST_CASE("where the winner depends on more than two dimensions the answer lists them") {
  const WonSweep three({"/cluster/network/link/bandwidth=1Gbps,100Gbps", "/cluster/workers=4,8",
                        "/workload/batch_size=16,32"});
  CHECK(three.text({"a", "b", "b", "a", "b", "a", "a", "b"}) ==
        "Which one it is depends on workers, bandwidth and batch_size, as the table of all combinations "
        "shows.");
}

}  // namespace
}  // namespace starling
