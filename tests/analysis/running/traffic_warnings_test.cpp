#include "analysis/running/traffic_warnings.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

#include "analysis/running/scenario_job.hpp"
#include "torus_scenario.hpp"

namespace starling {
namespace {

TEST_CASE("Neighbors that share links get a warning if another placement shares fewer") {
  const auto warnings_of = [](const Scenario& scenario) { return traffic_warnings(ScenarioJob(scenario)); };
  const auto found = warnings_of(ring_on_torus({}));
  REQUIRE(found.size() == 1);
  CHECK(found[0] ==
        "small.json: /cluster/placement: neighboring ranks, between which allreduce sends most of its data, "
        "share "
        "links: the busiest link carries 2 times as much as with \"placement\": \"snake\"");
  CHECK(warnings_of(ring_on_torus({.name = "snake"})).empty());
  CHECK(warnings_of(ring_on_torus({.name = "random"})).size() == 1);
  // A ring in one direction around rows of four uses each link once, wherever it changes rows; D-PSGD's two
  // directions do not.
  Scenario square = ring_on_torus({});
  square.cluster.workers = 16;
  std::get<TorusOptions>(square.cluster.network.kind).dimensions = {4, 4};
  CHECK(warnings_of(square).empty());
  // For random placement the warning names the snake, whose neighbors are one link apart.
  square.cluster.placement = {.name = "random"};
  REQUIRE(warnings_of(square).size() == 1);
  CHECK(warnings_of(square)[0].ends_with("times as much as with \"placement\": \"snake\""));
  square.cluster.placement = {};
  add_algorithm(square, DpsgdOptions{});
  CHECK(warnings_of(square).size() == 1);
  Scenario no_neighbors = ring_on_torus({});
  no_neighbors.algorithms.clear();
  add_algorithm(no_neighbors, AllreduceOptions{.collective = "halving_doubling"});
  CHECK(warnings_of(no_neighbors).empty());
  Scenario star = small_scenario();
  add_algorithm(star, AllreduceOptions{.collective = "ring"});
  CHECK(warnings_of(star).empty());
}

TEST_CASE("No warning is sought where that would take more messages than a usual run has") {
  Scenario scenario = ring_on_torus({.name = "random"});
  scenario.algorithms.clear();
  scenario.cluster.workers = 256;
  std::get<TorusOptions>(scenario.cluster.network.kind).dimensions = {16, 16};
  scenario.workload.model.tensors.assign(100, {"one of many", 10'000});
  scenario.workload.model.layers = {{"first", "Linear", 0, 50, 1}, {"second", "Linear", 50, 50, 1}};
  add_algorithm(scenario, DpsgdOptions{});
  CHECK(traffic_warnings(ScenarioJob(scenario)).size() == 1);
  // A message for each of 100 tensors: 256 workers send them to two neighbors in five iterations.
  scenario.algorithms.front().options = DpsgdOptions{.bucket_bytes = 1};
  CHECK(traffic_warnings(ScenarioJob(scenario)).empty());
}

TEST_CASE("A collective that leaves network cards idle gets a warning") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 16;
  scenario.cluster.workers_per_host = 4;
  scenario.cluster.nics_per_host = 4;
  scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 1e10, .latency_s = 1e-7};
  scenario.cluster.network.kind = RailOptions{.link = {.bandwidth_Bps = 1e9, .latency_s = 1e-6}};
  add_algorithm(scenario, AllreduceOptions{.collective = "hierarchical"});
  add_algorithm(scenario, AllreduceOptions{.collective = "halving_doubling"}, "halving");
  CHECK(traffic_warnings(ScenarioJob(scenario)).empty());
  add_algorithm(scenario, AllreduceOptions{.collective = "ring"}, "ring");
  const std::vector<std::string> found = traffic_warnings(ScenarioJob(scenario));
  REQUIRE(found.size() == 1);
  CHECK(found[0].find(
            "/cluster/nics_per_host: of the data of ring, one of 4 network cards of a host receives 4 "
            "times the mean of all cards") != std::string::npos);
}

TEST_CASE("Traffic over one of several narrow cables gets a warning since NCCL would use all of them") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 8;
  add_algorithm(scenario, AllreduceOptions{.collective = "ring"});
  const auto with_spines = [&scenario](int spines) {
    scenario.cluster.network.kind = LeafSpineOptions{.hosts_per_leaf = 4,
                                                     .spines = spines,
                                                     .link = {.bandwidth_Bps = 5e10, .latency_s = 1e-6},
                                                     .oversubscription = 2};
    return traffic_warnings(ScenarioJob(scenario));
  };
  CHECK(with_spines(2).empty());  // each as wide as a host's cable
  const std::vector<std::string> found = with_spines(4);
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].starts_with("small.json: /cluster/network: all data of allreduce from one rank to another "
                           "take one of 4 parallel cables "
                           "of 200 Gb/s, which is slower than the 400 Gb/s of its host's cable; "));
  // A single spine leaves no choice, and several workers of a host fill its own cable.
  std::get<LeafSpineOptions>(scenario.cluster.network.kind).oversubscription = 8;
  std::get<LeafSpineOptions>(scenario.cluster.network.kind).spines = 1;
  CHECK(traffic_warnings(ScenarioJob(scenario)).empty());
  scenario.cluster.workers = 16;
  scenario.cluster.workers_per_host = 2;
  scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 1e12, .latency_s = 1e-7};
  scenario.algorithms.clear();
  add_algorithm(scenario, AllreduceOptions{.collective = "hierarchical"});
  CHECK(with_spines(4).empty());
  // Gossip is not checked.
  scenario.algorithms.clear();
  add_algorithm(scenario, DpsgdOptions{});
  CHECK(with_spines(8).empty());
}

TEST_CASE("A bandwidth above what NCCL was measured to reach over sockets gets a warning") {
  Scenario scenario = small_scenario();
  scenario.transport = "nccl_tcp";
  const auto with_bandwidth = [&scenario](double bandwidth_Bps) {
    scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = bandwidth_Bps, .latency_s = 1e-5}};
    return traffic_warnings(ScenarioJob(scenario));
  };
  CHECK(with_bandwidth(5e9).empty());
  const auto found = with_bandwidth(1.25e10);
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].starts_with("small.json: /cluster/transport: with several threads for sockets, NCCL was "
                           "measured to reach 32 to 48 Gb/s"));
  CHECK(found[0].find("it is predicted to reach all 100 Gb/s here") != std::string::npos);
  // Each of two channels has the given rate, which applies only under fair.
  scenario.message_costs.channels = 2;
  scenario.fair.connection_rate_Bps = 6.25e9;
  CHECK(with_bandwidth(1.25e10) == found);
  scenario.fair.connection_rate_Bps = 6.24e9;
  CHECK(with_bandwidth(1.25e10).empty());
  scenario.engine = Engine::event;
  CHECK(with_bandwidth(1.25e10) == found);
  scenario.transport = "mpi_tcp";
  CHECK(with_bandwidth(1.25e10).empty());
}

TEST_CASE("A bandwidth or latency that looks like a number without a unit gets a warning") {
  Scenario scenario = small_scenario();
  const auto with_link = [&scenario](double bandwidth_Bps, double latency_s) {
    scenario.cluster.network.kind =
        StarOptions{.link = {.bandwidth_Bps = bandwidth_Bps, .latency_s = latency_s}};
    return traffic_warnings(ScenarioJob(scenario));
  };
  CHECK(with_link(1e6, 0.09).empty());
  REQUIRE(with_link(400, 1e-6).size() == 1);
  CHECK(with_link(400, 1e-6)[0].find(
            " has 400 bytes per second; numbers without a unit are in bytes per second") !=
        std::string::npos);
  REQUIRE(with_link(1e9, 1).size() == 1);
  CHECK(with_link(1e9, 1)[0].find(" has a latency of 1 s; ") != std::string::npos);
}

TEST_CASE("Warnings of doubtful links leave out host costs, which have warnings of their own") {
  const auto with_hosts = [](double bandwidth_Bps, const HostCosts& costs) {
    Scenario scenario = small_scenario();
    scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = bandwidth_Bps, .latency_s = 1e-6}};
    scenario.host_costs = costs;
    const auto warnings = traffic_warnings(ScenarioJob(scenario));
    return warnings.empty() ? "" : warnings.front();
  };
  HostCosts costs{.goodput = 0.5};
  CHECK(with_hosts(400, costs).find(" has 400 bytes per second") != std::string::npos);
  CHECK(with_hosts(1.5e6, costs).empty());
  costs = {.rate_Bps = 400};
  CHECK(with_hosts(600, costs).find(" has 600 bytes per second") != std::string::npos);
  CHECK(with_hosts(1e9, costs)
            .find("/cluster/host_rate: hosts transfer 400 bytes per second; numbers without") !=
        std::string::npos);
  costs = {.latency_s = 2};
  CHECK(with_hosts(1e9, costs).find("/cluster/host_latency: hosts add 2 s; numbers without a unit are in") !=
        std::string::npos);
}

}  // namespace
}  // namespace starling
