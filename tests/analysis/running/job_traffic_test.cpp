#include "analysis/running/job_traffic.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "analysis/running/scenario_job.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// The share of all bytes that two traffic matrices send between different pairs: half of the sum of absolute
/// differences.
double share_elsewhere(const TrafficMatrix& one, const TrafficMatrix& other) {
  std::map<std::pair<Rank, Rank>, double> differences;
  for (const RankTraffic& pair : one) differences[{pair.source, pair.destination}] += pair.bytes;
  for (const RankTraffic& pair : other) differences[{pair.source, pair.destination}] -= pair.bytes;
  double sum = 0;
  for (const auto& [pair, share] : differences) sum += std::abs(share);
  return sum / 2;
}

TEST_CASE("The typical traffic of algorithms with collectives is known without a run") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 8;
  add_algorithm(scenario, HorovodOptions{.collective = "ring"});
  add_algorithm(scenario, ByteSchedulerOptions{.collective = "ring"});
  add_algorithm(scenario, EagerOptions{});
  add_algorithm(scenario, WagmaOptions{.group_size = 2});
  const ScenarioJob job(scenario);
  for (std::size_t i = 0; i < scenario.algorithms.size(); ++i) {
    CAPTURE(scenario.algorithms[i].label);
    const auto typical = typical_traffic_of(job.run(i));
    REQUIRE(typical.has_value());
    CHECK(share_elsewhere(*typical, job.traffic(i)) < 0.01);  // control messages and activations
  }
  scenario.algorithms.clear();
  add_algorithm(scenario, DpsgdOptions{});
  CHECK(!typical_traffic_of(ScenarioJob(scenario).run(0)));
}

TEST_CASE("The traffic of rings and other collectives has the shares of bytes that their rounds send") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 6;
  scenario.workload.model.tensors = {{"first", 600'000}, {"second", 480}};
  add_algorithm(scenario, WfbpOptions{.collective = "auto"});
  const ScenarioJob job(scenario);
  std::map<std::pair<Rank, Rank>, double> sent;
  double sum = 0;
  int rings = 0;
  for (const Schedule* schedule : job.run(0).algorithm.sequential_collectives()) {
    rings += schedule->is_ring() ? 1 : 0;
    for (Rank rank = 0; rank < schedule->ranks(); ++rank)
      for (int i = 0; i < schedule->rounds(rank); ++i)
        if (const Transmission send = schedule->round(rank, i).send; send.is_present()) {
          sent[{rank, send.peer}] += static_cast<double>(send.chunk.count);
          sum += static_cast<double>(send.chunk.count);
        }
  }
  REQUIRE(rings == 1);  // auto chooses a ring for the long tensor only
  TrafficMatrix shares;
  for (const auto& [pair, count] : sent) shares.push_back({pair.first, pair.second, count / sum});
  CHECK(share_elsewhere(shares, job.traffic(0)) < rounding_of_sums);
}

TEST_CASE("The traffic of an algorithm is the share of bytes between each pair of workers") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{.collective = "ring"});
  add_algorithm(scenario, AllreduceOptions{.collective = "recursive_doubling"});
  add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = RingGraph{}}});
  const ScenarioJob job(scenario);
  REQUIRE(job.traffic(0).size() == 4);
  for (const RankTraffic& pair : job.traffic(0)) {
    CHECK(pair.destination == (pair.source + 1) % 4);
    CHECK(pair.bytes == about(0.25, rounding));
  }
  CHECK(job.traffic(1).size() == 8);  // distances 1 and 2
  CHECK(job.traffic(2).size() == 8);  // both neighbors
  for (const RankTraffic& pair : job.traffic(2)) CHECK(pair.bytes == about(0.125, 1e-6));
}

TEST_CASE("The traffic by iteration goes to the partners of each iteration") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, DecentralizedAdamOptions{.graph = "one_peer_ring"});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 3});
  add_algorithm(scenario, HorovodOptions{.collective = "ring"});
  const ScenarioJob job(scenario);
  const auto rounds_of = [&](std::size_t index) {
    return traffic_by_iteration(job.run(index), job.routes(), job.iterations_of_pattern(index));
  };
  const TrafficRounds pairs = rounds_of(0);
  REQUIRE(pairs.size() == 2);
  // The average launched at the end of iteration 0 is sent in iteration 1, where rank 0 is paired with the
  // last rank.
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(pairs[i].size() == 4);
    CHECK(pairs[i][0].destination == (i == 0 ? 3 : 1));
    for (const RankTraffic& pair : pairs[i]) CHECK(pair.bytes == about(0.125, 1e-6));
  }
  REQUIRE(rounds_of(1).size() == 1);  // of three iterations, two are silent
  CHECK(share_elsewhere(rounds_of(1)[0], job.traffic(1)) < rounding_of_sums);
  REQUIRE(rounds_of(2).size() == 1);
  CHECK(share_elsewhere(rounds_of(2)[0], job.traffic(2)) < 0.01);
}

}  // namespace
}  // namespace starling
