// Training over TCP connections ends on random clusters with random delays and windows.
#include <doctest/doctest.h>

#include "analysis/running/runner.hpp"
#include "random_scenario.hpp"
#include "sim/strands/address_sanitizer.hpp"

namespace starling {
namespace {

constexpr std::uint64_t connection_runs = has_address_sanitizer ? 12 : 200;

TEST_CASE("Every algorithm ends over TCP connections, on random clusters with random delays and windows") {
  for (std::uint64_t run = 0; run < connection_runs; ++run) {
    const Scenario scenario = random_scenario(run);
    CAPTURE(run);
    const Result result = simulate(scenario, {.run_finished = [](const Result&, const IterationLog& log) {
                                     for (Rank rank = 0; rank < log.workers(); ++rank)
                                       CHECK(log.of(rank).size() == 5);
                                   }});
    CHECK(result.runs.size() == scenario.algorithms.size());
  }
}

}  // namespace
}  // namespace starling
