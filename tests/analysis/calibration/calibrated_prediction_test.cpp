// Round trip: a cluster is simulated, `calibrate` measures it, and a scenario with the calibrated parameters
// must predict the iteration times of the cluster itself.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/calibration/calibration.hpp"
#include "analysis/calibration/calibration_report.hpp"
#include "analysis/running/network_facts.hpp"
#include "analysis/running/runner.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/rounding.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// Trains ResNet-32 (1.9 MB of gradients): one all-reduce of the whole gradient, WFBP's all-reduces layer by
/// layer, and D-PSGD's exchanges of the whole model between neighbors.
Scenario scenario_on(const json& cluster) {
  json document = json::parse(R"json({
    "name": "calibrated", "iterations": 12, "warmup_iterations": 2,
    "workload": {"batch_size": 1, "compute": {"forward": "5ms", "backward": "10ms"},
                 "model": "resnet32_cifar10"},
    "algorithms": [{"kind": "allreduce", "collective": "ring"},
                   {"kind": "wfbp", "collective": "recursive_doubling"},
                   {"kind": "dpsgd"}]
  })json");
  document["cluster"] = cluster;
  return read_scenario_document(document, "calibrated.json");
}

Calibration calibration_of(const Scenario& scenario) {
  const Network network = network_of(scenario.cluster, scenario.host_costs);
  const auto model = make_network_model(scenario, network);
  SimulatedWorld world(network, *model, scenario.message_costs);
  Calibration found;
  world.run([&](Worker& worker) {
    const Calibration own = calibrate(worker, [&] { return worker.now(); });
    if (worker.rank() == 0) found = own;
  });
  return found;
}

/// The block `cluster` that calibration of a simulated `cluster` writes, with the placement of workers added,
/// and with the network of `cluster` where `route` tells calibration the nominal network.
json calibrated(const json& cluster, const std::optional<NominalRoute>& route) {
  json found = calibration_json(calibration_of(scenario_on(cluster)), route).at("cluster");
  for (const char* key : {"workers", "workers_per_host"})
    if (cluster.contains(key)) found[key] = cluster.at(key);
  if (route) found["network"] = cluster.at("network");
  return found;
}

/// Latency (s) and bandwidth (B/s) between two hosts as `cluster` gives them, without host_latency and
/// goodput.
NominalRoute written_route(const json& cluster) {
  const Scenario scenario = scenario_on(cluster);
  const Network network = build_network(scenario.cluster);
  Rank other = 1;
  while (network.host_of(other) == network.host_of(0)) ++other;
  return {network.alpha_s(0, other), network.bandwidth_Bps(0, other)};
}

void check_predictions(const json& cluster, const json& found, double tolerance) {
  CAPTURE(found.dump(1));
  const Result truth = simulate(scenario_on(cluster));
  const Result predicted = simulate(scenario_on(found));
  REQUIRE(truth.runs.size() == predicted.runs.size());
  for (std::size_t i = 0; i < truth.runs.size(); ++i) {
    CAPTURE(truth.runs[i].label);
    CHECK(predicted.runs[i].iteration_time_s.mean == about(truth.runs[i].iteration_time_s.mean, tolerance));
  }
}

json star_with(const std::string& changes) {
  json cluster = json::parse(R"json({
    "workers": 4, "transport": "ideal", "message_overhead": "20us", "reduction_rate": "5GBps",
    "network": {"kind": "star", "link": {"bandwidth": "200Mbps", "latency": "100us"}}})json");
  cluster.merge_patch(json::parse(changes));
  return cluster;
}

TEST_CASE(
    "A calibrated star predicts the iteration times of the star itself, eager or by rendezvous, with "
    "buffers") {
  // Calibrated durations are exact to 1e-9, but under mpi_tcp link shares are drawn at random, and a
  // difference of 1e-9 may change the order of the draws.
  constexpr double tolerance = 1e-4;
  for (const std::string changes :
       {"{}", R"({"eager_threshold": "64kB"})", R"({"eager_threshold": "1kB"})",
        R"({"transport": "mpi_tcp", "eager_threshold": "unlimited", "send_buffer": "100kB"})",
        R"({"workers": 5, "workers_per_host": 2,
            "intra_host_link": {"bandwidth": "1GBps", "latency": "2us"}})",
        R"({"workers": 8, "workers_per_host": 4, "eager_threshold": "64kB",
            "intra_host_link": {"bandwidth": "1GBps", "latency": "2us"}})"}) {
    CAPTURE(changes);
    const json cluster = star_with(changes);
    check_predictions(cluster, calibrated(cluster, {}), tolerance);
  }
}

TEST_CASE("Calibration finds host latency and goodput on top of a network whose description is given") {
  constexpr double tolerance = 1e-5;
  for (const std::string changes : {R"({})", R"({"eager_threshold": "64kB"})",
                                    R"({"network": {"kind": "fat_tree", "levels": [
            {"down": 2, "up": 1, "link": {"bandwidth": "200Mbps", "latency": "50us"}},
            {"down": 2, "up": 1, "link": {"bandwidth": "100Mbps", "latency": "50us"}}]}})",
                                    R"({"network": {"kind": "torus", "dimensions": [2, 2],
                       "link": {"bandwidth": "200Mbps", "latency": "50us"}}})",
                                    R"({"workers": 8, "workers_per_host": 2,
            "intra_host_link": {"bandwidth": "1GBps", "latency": "2us"}})"}) {
    CAPTURE(changes);
    json cluster = star_with(changes);
    cluster["goodput"] = 0.9;
    cluster["host_latency"] = "30us";
    check_predictions(cluster, calibrated(cluster, written_route(cluster)), tolerance);
  }
}

}  // namespace
}  // namespace starling
