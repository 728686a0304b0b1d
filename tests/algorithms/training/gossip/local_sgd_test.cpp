#include "algorithms/training/gossip/local_sgd.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "algorithms/collectives/collectives.hpp"
#include "gossip_fixture.hpp"
#include "sim/networks/event/event_network.hpp"
#include "tests/rounding.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

/// One local step and one all-reduce of the model in every iteration, by hand.
std::vector<std::vector<float>> average_models(const Workload& workload, int workers, int iterations,
                                               double learning_rate) {
  const StarOptions star{.link = {.bandwidth_Bps = 1e9}};
  const Network network = build_network({.workers = workers, .network = {.kind = star}});
  EventNetwork model(network);
  SimulatedWorld world(network, model);
  std::vector<std::vector<float>> models(static_cast<std::size_t>(workers));
  world.run([&](Worker& worker) {
    Replica replica = different_replica(workload, worker.rank(), learning_rate);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      replica.compute_gradients(iteration);
      replica.update(replica.all(), 1);
      allreduce(worker, replica.parameters(), 9);
      for (float& parameter : replica.parameters().data())
        parameter = static_cast<float>(parameter * (1.0 / workers));
    }
    const auto data = replica.parameters().data();
    models[static_cast<std::size_t>(worker.rank())].assign(data.begin(), data.end());
  });
  return models;
}

TEST_CASE("local SGD that averages after every step equals an all-reduce of models, bit for bit") {
  const Workload workload = one_layer(37, 0.01, 0.02);
  for (const int workers : {1, 2, 3, 5, 8}) {
    const StarCluster cluster{workers, 1e-5, 1e8, 1e-10};
    const auto algorithm = make_algorithm(LocalSgdOptions{.sync_period = 1}, workload, cluster.facts());
    const Trained trained = run_algorithm(
        *algorithm, workload,
        {.cluster = cluster, .iterations = 4, .load = random_load(1), .replica = [&](Rank rank) {
           return different_replica(workload, rank, 0.1);
         }});
    CAPTURE(workers);
    CHECK(trained.parameters == average_models(workload, workers, 4, 0.1));
    for (const auto& model : trained.parameters) CHECK(model == trained.parameters.front());
  }
}

TEST_CASE("local SGD from equal models that averages after every step equals descent on the mean gradient") {
  const Workload workload = one_layer(11, 0.01, 0.02);
  const StarCluster cluster{4, 1e-5, 1e8, 1e-10};
  const auto replica = [&](Rank rank) {
    return Replica(workload, std::vector<float>(11, 1.0F), {.learning_rate = 0.1},
                   [rank](std::int64_t, std::span<const float> parameters, std::span<float> gradients) {
                     for (std::size_t i = 0; i < gradients.size(); ++i)
                       gradients[i] = parameters[i] - static_cast<float>(rank);
                   });
  };
  const TrainingSetup setup{.cluster = cluster, .iterations = 6, .replica = replica};
  const auto algorithm = make_algorithm(LocalSgdOptions{.sync_period = 1}, workload, cluster.facts());
  const Trained models = run_algorithm(*algorithm, workload, setup);
  const Trained gradients = train(AllreduceOptions{}, workload, setup);
  for (std::size_t i = 0; i < 11; ++i) {
    // A few single-precision roundings of numbers around 1.
    CHECK(models.parameters[0][i] == about(gradients.parameters[0][i], 1e-5));
  }
}

TEST_CASE("only every τ-th iteration of local SGD waits for an all-reduce") {
  const Workload workload = one_layer(24'000, 0.01, 0.02, 1e-8);
  const double compute_s = 0.03 + 24'000 * 4 * 1e-8;
  for (const int workers : {1, 2, 6}) {
    const StarCluster cluster{workers, 2e-5, 1e8, 1e-10};
    const double average_s = cost::ring_allreduce(workers, 96'000, cluster.facts().costs);
    const auto algorithm = make_algorithm(LocalSgdOptions{.sync_period = 3}, workload, cluster.facts());
    const Trained trained = run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 8});
    CAPTURE(workers);
    for (int i = 0; i < 8; ++i) {
      CHECK(trained.end_s(i) == about((i + 1) * compute_s + (i + 1) / 3 * average_s, rounding_of_sums));
    }
  }
}

TEST_CASE("workers of local SGD that never average send nothing and keep their own models") {
  const Workload workload = one_layer(5, 0.01, 0.02);
  const StarCluster cluster{.workers = 3};
  const auto algorithm = make_algorithm(LocalSgdOptions{.sync_period = 100}, workload, cluster.facts());
  const Trained trained =
      run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 5, .replica = [&](Rank rank) {
                                             return different_replica(workload, rank, 0.1);
                                           }});
  CHECK(trained.statistics.messages == 0);
  for (Rank rank = 0; rank < 3; ++rank) {
    Replica replica = different_replica(workload, rank, 0.1);
    const auto data = replica.parameters().data();
    // Every worker stands at its own optimum.
    CHECK(std::equal(data.begin(), data.end(), trained.parameters[static_cast<std::size_t>(rank)].begin()));
  }
}

TEST_CASE("local SGD refuses a synchronization period below 1") {
  const Workload workload = one_layer(5, 0.01, 0.02);
  CHECK_THROWS_WITH_AS(make_training_algorithm(LocalSgdOptions{.sync_period = 0}, workload, {.workers = 2}),
                       "local_sgd: period is 0; it must be from 1 to 2147483647", std::invalid_argument);
}

}  // namespace
}  // namespace starling
