#include "gossip_fixture.hpp"

#include <cmath>

#include "sim/networks/event/event_network.hpp"
#include "sim/random.hpp"

namespace starling {

void Circulant::find_in_neighbors(Rank rank, std::int64_t iteration,
                                  std::vector<MixingNeighbor>& found) const {
  found.clear();
  for (const int distance : at(iteration)) {
    found.push_back({(rank + ranks_ - distance) % ranks_, weight(iteration)});
  }
}

void Circulant::find_out_neighbors(Rank rank, std::int64_t iteration,
                                   std::vector<MixingNeighbor>& found) const {
  found.clear();
  for (const int distance : at(iteration)) {
    found.push_back({(rank + distance) % ranks_, weight(iteration)});
  }
}

const std::vector<int>& Circulant::at(std::int64_t iteration) const {
  return distances_[static_cast<std::size_t>(iteration) % distances_.size()];
}

double Circulant::weight(std::int64_t iteration) const {
  return 1.0 / static_cast<double>(at(iteration).size() + 1);
}

std::shared_ptr<const MixingSchedule> ring_of(int ranks) {
  return std::make_shared<Circulant>(ranks, std::vector<std::vector<int>>{{1, ranks - 1}});
}

Workload one_layer(std::int64_t elements, double forward_s, double backward_s, double optimizer_s_per_byte) {
  return workload_of({{{elements}, forward_s, backward_s}}, optimizer_s_per_byte);
}

Trained run_algorithm(const TrainingAlgorithm& algorithm, const Workload& workload,
                      const TrainingSetup& setup, double eager_threshold_bytes) {
  const StarCluster& cluster = setup.cluster;
  const Network network = cluster.network();
  EventNetwork model(network);
  const MessageCosts costs{.reduction_s_per_byte = cluster.gamma_s_per_byte,
                           .eager_threshold_bytes = eager_threshold_bytes};
  SimulatedWorld world(network, model, costs, setup.trace);
  return train_in(world, cluster.workers, algorithm, workload, setup);
}

std::function<Load(Rank, std::int64_t)> random_load(std::uint64_t seed) {
  return [random = CounterRandom(seed, Purpose::imbalance)](Rank rank, std::int64_t iteration) {
    const auto worker = static_cast<std::uint32_t>(rank);
    const auto step = static_cast<std::uint64_t>(iteration);
    return Load{.delay_s = 0.01 * random.uniform(worker, step, 0),
                .factor = 0.5 + 2 * random.uniform(worker, step, 1)};
  };
}

Replica different_replica(const Workload& workload, Rank rank, double learning_rate) {
  std::vector<float> start(static_cast<std::size_t>(workload.parameters()));
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = 1 + std::sin(static_cast<float>(rank * 7 + 1) * static_cast<float>(i + 1));
  }
  return Replica(workload, start, {.learning_rate = learning_rate},
                 [start](std::int64_t, std::span<const float> parameters, std::span<float> gradients) {
                   for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = parameters[i] - start[i];
                 });
}

std::vector<std::vector<double>> mix_and_step(const Workload& workload, const MixingSchedule& mixing,
                                              int iterations, double learning_rate) {
  std::vector<std::vector<double>> start;
  for (Rank rank = 0; rank < mixing.ranks(); ++rank) {
    Replica replica = different_replica(workload, rank, learning_rate);
    const auto data = replica.parameters().data();
    start.emplace_back(data.begin(), data.end());
  }
  std::vector<std::vector<double>> models = start;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::vector<std::vector<double>> next = models;
    for (std::size_t i = 0; i < models.size(); ++i) {
      for (std::size_t e = 0; e < models[i].size(); ++e) {
        next[i][e] = mixing.own_weight(static_cast<Rank>(i), iteration) * models[i][e] -
                     learning_rate * (models[i][e] - start[i][e]);
        for (const auto& [rank, weight] : mixing.in_neighbors(static_cast<Rank>(i), iteration))
          next[i][e] += weight * models[static_cast<std::size_t>(rank)][e];
      }
    }
    models = next;
  }
  return models;
}

std::vector<double> mean_of(const std::vector<std::vector<float>>& models) {
  std::vector<double> mean(models.front().size());
  for (const auto& model : models) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += model[i] / static_cast<double>(models.size());
  }
  return mean;
}

double consensus_distance(const std::vector<std::vector<float>>& models) {
  const std::vector<double> mean = mean_of(models);
  double squares = 0;
  for (const auto& model : models) {
    for (std::size_t i = 0; i < mean.size(); ++i) squares += (model[i] - mean[i]) * (model[i] - mean[i]);
  }
  return std::sqrt(squares / static_cast<double>(models.size()));
}

}  // namespace starling
