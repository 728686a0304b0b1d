#pragma once

#include <string>
#include <utility>

#include "algorithms/training/every_algorithm.hpp"
#include "algorithms/training/registry.hpp"
#include "scenarios/reading/scenario.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {

/// Four workers on a star of 1 GB/s links, 1 µs each, so that α is 2 µs and β 1 ns; a model of two layers and
/// 4 MB; 10 ms forward, 20 ms backward. A ring all-reduce of all gradients takes 2·3·α + 2·3/4·4 MB·β.
inline Scenario small_scenario() {
  Scenario scenario;
  scenario.file = "small.json";
  scenario.name = "small";
  scenario.iterations = 5;
  scenario.warmup_iterations = 1;
  scenario.cluster.workers = 4;
  scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e9, .latency_s = 1e-6}};
  scenario.workload.model.name = "two layers";
  scenario.workload.model.tensors = {{"first", 600'000}, {"second", 400'000}};
  scenario.workload.model.layers = {{"first", "Linear", 0, 1, 1}, {"second", "Linear", 1, 1, 1}};
  scenario.workload.batch_size = 32;
  scenario.workload.forward_s = {0.005, 0.005};
  scenario.workload.backward_s = {0.01, 0.01};
  scenario.as_read = {{"name", scenario.name}, {"iterations", 5}, {"warmup_iterations", 1}};
  return scenario;
}

/// The compute time of an iteration of small_scenario(), and the time of a ring all-reduce of all its
/// gradients.
constexpr double small_compute_s = 0.03;
constexpr double small_allreduce_s = 0.006012;

inline void add_algorithm(Scenario& scenario, TrainingOptions options, const std::string& label = "") {
  const std::string kind(options.kind());
  scenario.algorithms.push_back(
      {.label = label.empty() ? kind : label, .options = std::move(options), .as_read = {{"kind", kind}}});
}

/// Adds every algorithm once, some with options other than the defaults.
inline void add_all_algorithms(Scenario& scenario) {
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, WfbpOptions{});
  add_algorithm(scenario, DdpOptions{});
  add_algorithm(scenario, HorovodOptions{});
  add_algorithm(scenario, MgWfbpOptions{});
  add_algorithm(scenario, ByteSchedulerOptions{});
  add_algorithm(scenario, DearOptions{});
  add_algorithm(scenario, EagerOptions{.kind = EagerOptions::solo, .limiter = 2});
  add_algorithm(scenario, EagerOptions{.kind = EagerOptions::majority});
  add_algorithm(scenario, WagmaOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 2});
  add_algorithm(scenario, DpsgdOptions{});
  add_algorithm(scenario, AdpsgdOptions{});
  add_algorithm(scenario, SgpOptions{});
  add_algorithm(scenario, DecentralizedAdamOptions{});
}

}  // namespace starling
