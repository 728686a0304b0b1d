#include "algorithms/training/gossip/backward_exchange.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "algorithms/collectives/cost.hpp"
#include "tests/algorithms/training/gossip/gossip_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr int layers = 4;
constexpr int layer_elements = 25'000;  // of each layer
constexpr double layer_backward_s = 0.010;
constexpr double all_forward_s = layers * 0.005;
constexpr double update_s_per_byte = 1e-8;

Workload equal_layers(int tensor_elements = layer_elements) {
  return workload_of(
      std::vector<LayerSpec>(layers, {{tensor_elements}, all_forward_s / layers, layer_backward_s}),
      update_s_per_byte);
}

std::shared_ptr<const MixingSchedule> everyone(int workers) {
  std::vector<int> distances;
  for (int distance = 1; distance < workers; ++distance) distances.push_back(distance);
  return std::make_shared<Circulant>(workers, std::vector<std::vector<int>>{distances});
}

std::unique_ptr<TrainingAlgorithm> per_tensor_local_sgd(const Workload& workload,
                                                        const StarCluster& cluster) {
  return make_algorithm(LocalSgdOptions{.sync_period = 1, .bucket_bytes = 0}, workload, cluster.facts());
}

std::unique_ptr<TrainingAlgorithm> per_tensor_dpsgd(std::shared_ptr<const MixingSchedule> mixing) {
  return std::make_unique<Dpsgd>(DpsgdOptions{.bucket_bytes = 0}, std::move(mixing));
}

std::unique_ptr<TrainingAlgorithm> per_tensor_sgp(std::shared_ptr<const MixingSchedule> mixing) {
  return std::make_unique<Sgp>(SgpOptions{.bucket_bytes = 0}, std::move(mixing));
}

void check_models(const TrainingAlgorithm& algorithm, const Workload& workload, const StarCluster& cluster,
                  const MixingSchedule& mixing) {
  const auto expected = mix_and_step(workload, mixing, 5, 0.1);
  const Trained trained =
      run_algorithm(algorithm, workload,
                    {.cluster = cluster, .iterations = 5, .load = random_load(3), .replica = [&](Rank r) {
                       return different_replica(workload, r, 0.1);
                     }});
  check_accounts(trained.log, cluster.workers, 5);
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t e = 0; e < expected[i].size(); ++e)
      worst = greater_error(worst, std::abs(expected[i][e] - trained.parameters[i][e]));
  }
  // Five steps of single-precision sums of up to eight numbers around 1.
  CHECK(worst < 3e-6);
}

TEST_CASE("models averaged tensor by tensor are mixed before the gradient step") {
  const Workload workload = equal_layers(5);
  for (const int workers : {3, 8}) {
    const StarCluster cluster{workers, 1e-4, 1e6, 1e-8};
    CAPTURE(workers);
    check_models(*per_tensor_local_sgd(workload, cluster), workload, cluster, *everyone(workers));
    check_models(*per_tensor_dpsgd(ring_of(workers)), workload, cluster, *ring_of(workers));
    // Equal weights keep every push-sum weight at 1.
    check_models(*per_tensor_sgp(ring_of(workers)), workload, cluster, *ring_of(workers));
  }
}

TEST_CASE("tensors are averaged during the backward pass, one after the other") {
  const Workload workload = equal_layers();
  const double bytes = layer_elements * 4.0;
  // The last tensor alone is exposed where an exchange is shorter than the backward pass of a layer, all but
  // one layer's backward pass where it is longer.
  for (const double bandwidth_Bps : {1e9, 2e6}) {
    const StarCluster cluster{4, 2e-4, bandwidth_Bps, 1e-10};
    const auto check_end = [&](const TrainingAlgorithm& algorithm, double exchange_s) {
      const double exposed_s =
          exchange_s < layer_backward_s ? exchange_s : layers * exchange_s - (layers - 1) * layer_backward_s;
      const double iteration_s =
          all_forward_s + layers * (layer_backward_s + bytes * update_s_per_byte) + exposed_s;
      const Trained trained = run_algorithm(algorithm, workload, {.cluster = cluster, .iterations = 3});
      for (int i = 0; i < 3; ++i) CHECK(trained.end_s(i) == about((i + 1) * iteration_s, rounding_of_sums));
    };
    CAPTURE(bandwidth_Bps);
    const auto two_messages_s = [&](double size) { return 2e-4 + 2 * size / bandwidth_Bps + size * 1e-10; };
    check_end(*per_tensor_local_sgd(workload, cluster),
              cost::ring_allreduce(4, bytes, cluster.facts().costs));
    check_end(*per_tensor_dpsgd(ring_of(4)), two_messages_s(bytes));
    check_end(*per_tensor_sgp(ring_of(4)), two_messages_s(bytes + 4));
  }
}

TEST_CASE(
    "with an average per tensor a delay reaches as many neighbors further in an iteration as there are "
    "tensors") {
  const Workload workload = equal_layers(1);
  const StarCluster cluster{21, 1e-5, 1e9, 0};
  const auto load = [](Rank rank, std::int64_t iteration) {
    return Load{.delay_s = rank == 0 && iteration == 0 ? 1.0 : 0.0, .factor = 1};
  };
  const TrainingSetup setup{.cluster = cluster, .iterations = 3, .load = load};
  const auto dpsgd = per_tensor_dpsgd(ring_of(21));
  const auto sgp = per_tensor_sgp(ring_of(21));
  for (const TrainingAlgorithm* algorithm : {dpsgd.get(), sgp.get()}) {
    const Trained trained = run_algorithm(*algorithm, workload, setup);
    for (int iteration = 0; iteration < 3; ++iteration) {
      for (Rank rank = 0; rank < 21; ++rank) {
        const int distance = std::min(rank, 21 - rank);
        CAPTURE(rank);
        CAPTURE(iteration);
        CHECK((trained.log.of(rank)[static_cast<std::size_t>(iteration)].end_s > 1) ==
              (distance <= layers * (iteration + 1)));
      }
    }
  }
}

TEST_CASE("a negative bucket size, or one beside overlap, is refused") {
  const Workload workload = equal_layers();
  CHECK_THROWS_WITH_AS(make_training_algorithm(LocalSgdOptions{.bucket_bytes = -1}, workload, {.workers = 2}),
                       "local_sgd: bucket_bytes is -1; it must be from 0 to 1e+18", std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      make_training_algorithm(DpsgdOptions{.overlap = true, .bucket_bytes = 0}, workload, {.workers = 3}),
      "dpsgd: bucket_bytes: cannot be combined with overlap, got 0, expected one of the two",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      make_training_algorithm(SgpOptions{.overlap = 2, .bucket_bytes = 0}, workload, {.workers = 2}),
      "sgp: bucket_bytes: cannot be combined with overlap, got 0, expected one of the two",
      std::invalid_argument);
}

}  // namespace
}  // namespace starling
