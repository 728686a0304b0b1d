#include "training_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "sim/networks/event/event_network.hpp"
#include "sim/random.hpp"
#include "tests/rounding.hpp"

namespace starling {

Workload workload_of(const std::vector<LayerSpec>& layers, double optimizer_s_per_byte) {
  Workload workload;
  workload.batch_size = 1;
  workload.optimizer_s_per_byte = optimizer_s_per_byte;
  for (const LayerSpec& layer : layers) {
    workload.model.layers.push_back({.name = "layer",
                                     .type = "made up",
                                     .first_tensor = static_cast<int>(workload.model.tensors.size()),
                                     .tensors = static_cast<int>(layer.tensors.size())});
    for (const std::int64_t elements : layer.tensors) {
      workload.model.tensors.push_back({.name = "tensor", .elements = elements});
    }
    workload.forward_s.push_back(layer.forward_s);
    workload.backward_s.push_back(layer.backward_s);
  }
  return workload;
}

Workload odd_workload() {
  return workload_of({{{7, 3}, 0.001, 0.002},
                      {{1}, 0.002, 0.004},
                      {{}, 0.001, 0.001},
                      {{40, 13}, 0.003, 0.002},
                      {{5}, 0, 0.001}},
                     1e-6);
}

Workload random_workload(std::uint64_t seed, int layers, std::int64_t multiple, std::int64_t largest) {
  const CounterRandom random(seed, Purpose::data);
  std::vector<LayerSpec> specs(static_cast<std::size_t>(layers));
  for (std::uint32_t l = 0; l < specs.size(); ++l) {
    LayerSpec& layer = specs[l];
    layer.forward_s = 0.010 * random.uniform(l, 0);
    layer.backward_s = 0.020 * random.uniform(l, 1);
    const std::uint64_t tensors = random.below(3, l, 2);
    for (std::uint32_t t = 0; t < tensors; ++t) {
      const auto units = static_cast<std::uint64_t>(largest / multiple);
      layer.tensors.push_back(multiple * static_cast<std::int64_t>(1 + random.below(units, l, 3, t)));
    }
  }
  return workload_of(specs, 1e-11);
}

ClusterFacts StarCluster::facts() const {
  return {.workers = workers,
          .workers_per_host = 1,
          .costs = {.start_up_s = alpha_s,
                    .s_per_byte = 1 / bandwidth_Bps,
                    .reduction_s_per_byte = gamma_s_per_byte},
          .intra_host_costs = {}};
}

Network StarCluster::network() const {
  const StarOptions star{.link = {.bandwidth_Bps = bandwidth_Bps, .latency_s = alpha_s / 2}};
  return build_network({.workers = workers, .network = {.kind = star}});
}

double Trained::end_s(std::int64_t iteration) const {
  double last_s = 0;
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    last_s = std::max(last_s, log.of(rank)[static_cast<std::size_t>(iteration)].end_s);
  }
  return last_s;
}

Trained train(const TrainingOptions& options, const Workload& workload, const TrainingSetup& setup) {
  const StarCluster& cluster = setup.cluster;
  const Network network = cluster.network();
  EventNetwork model(network, 0);  // no message is small: tests use bytes where real models have megabytes
  SimulatedWorld world(network, model, {.reduction_s_per_byte = cluster.gamma_s_per_byte}, setup.trace,
                       workload.communication_slowdown);
  const auto algorithm = options.make(workload, cluster.facts());
  return train_in(world, cluster.workers, *algorithm, workload, setup);
}

Trained train_in(SimulatedWorld& world, int workers, const TrainingAlgorithm& algorithm,
                 const Workload& workload, const TrainingSetup& setup, std::uint64_t seed) {
  Trained result{.log = IterationLog(workers),
                 .statistics = {},
                 .parameters = std::vector<std::vector<float>>(static_cast<std::size_t>(workers))};
  const TrainingJob job{.workload = workload,
                        .iterations = setup.iterations,
                        .load = setup.load,
                        .log = result.log,
                        .participation = setup.participation,
                        .seed = seed};
  world.run([&](Worker& worker) {
    Replica replica = setup.replica ? setup.replica(worker.rank()) : Replica(workload);
    algorithm.run(worker, replica, job);
    const auto data = replica.parameters().data();
    result.parameters[static_cast<std::size_t>(worker.rank())].assign(data.begin(), data.end());
  });
  result.statistics = world.statistics();
  return result;
}

void check_accounts(const IterationLog& log, int workers, std::size_t iterations) {
  for (Rank rank = 0; rank < workers; ++rank) {
    CHECK(log.of(rank).size() == iterations);
    double previous_s = 0;
    for (const IterationRecord& record : log.of(rank)) {
      const double parts_s = record.busy_s() + record.blocked_s;
      // Rounding of a few additions.
      CHECK(record.end_s - previous_s == about(parts_s, 1e-12));
      CHECK(record.ready_s <= record.end_s);
      previous_s = record.end_s;
    }
  }
}

}  // namespace starling
