#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "algorithms/training/every_algorithm.hpp"
#include "tests/algorithms/training/training_fixture.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// Every worker sends to those at the given distances further on, of iteration t those of distances[t mod
/// size]; all weights are equal.
class Circulant final : public MixingSchedule {
 public:
  Circulant(int ranks, std::vector<std::vector<int>> distances)
      : ranks_(ranks), distances_(std::move(distances)) {}

  int ranks() const override { return ranks_; }
  std::int64_t period() const override { return static_cast<std::int64_t>(distances_.size()); }
  double own_weight(Rank, std::int64_t iteration) const override { return weight(iteration); }
  void find_in_neighbors(Rank rank, std::int64_t iteration,
                         std::vector<MixingNeighbor>& found) const override;
  void find_out_neighbors(Rank rank, std::int64_t iteration,
                          std::vector<MixingNeighbor>& found) const override;

 private:
  const std::vector<int>& at(std::int64_t iteration) const;
  double weight(std::int64_t iteration) const;

  int ranks_;
  std::vector<std::vector<int>> distances_;
};

/// Both neighbors on a ring of at least 3.
std::shared_ptr<const MixingSchedule> ring_of(int ranks);

/// A workload of one layer.
Workload one_layer(std::int64_t elements, double forward_s, double backward_s,
                   double optimizer_s_per_byte = 0);

/// What train() does, for an algorithm that is there already.
Trained run_algorithm(const TrainingAlgorithm& algorithm, const Workload& workload,
                      const TrainingSetup& setup,
                      double eager_threshold_bytes = std::numeric_limits<double>::infinity());

/// Delays up to 10 ms and factors 0.5 to 2.5, other ones for every seed.
std::function<Load(Rank, std::int64_t)> random_load(std::uint64_t seed);

/// Worker i begins at an x_i of its own, and its gradients are those of ½|x − x_i|².
Replica different_replica(const Workload& workload, Rank rank, double learning_rate);

/// Of different_replica()s, in double precision: x_i ← Σ_j w_ij x_j − learning_rate · (x_i − x_i(0)).
std::vector<std::vector<double>> mix_and_step(const Workload& workload, const MixingSchedule& mixing,
                                              int iterations, double learning_rate);

/// Of all workers' models, element by element.
std::vector<double> mean_of(const std::vector<std::vector<float>>& models);

/// √(Σ_i |x_i − mean|² / P)
double consensus_distance(const std::vector<std::vector<float>>& models);

}  // namespace starling
