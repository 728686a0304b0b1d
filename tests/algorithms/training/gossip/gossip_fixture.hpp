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

/// In iteration t every worker sends to the ranks at the distances of distances[t mod size] after its own;
/// all weights are equal.
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

/// A schedule that averages with both neighbors on a ring of at least 3 workers.
std::shared_ptr<const MixingSchedule> ring_of(int ranks);

/// A workload of one layer.
Workload one_layer(std::int64_t elements, double forward_s, double backward_s,
                   double optimizer_s_per_byte = 0);

/// Trains with a given algorithm as train() does with its options.
Trained run_algorithm(const TrainingAlgorithm& algorithm, const Workload& workload,
                      const TrainingSetup& setup,
                      double eager_threshold_bytes = std::numeric_limits<double>::infinity());

/// Random loads of that seed: delays up to 10 ms, and factors from 0.5 to 2.5 on compute times.
std::function<Load(Rank, std::int64_t)> random_load(std::uint64_t seed);

/// A replica that begins at x_i, which differs for each rank i, and whose gradients are those of ½|x − x_i|².
Replica different_replica(const Workload& workload, Rank rank, double learning_rate);

/// The models of different_replica()s after D-PSGD in double precision:
/// x_i ← Σ_j w_ij x_j − learning_rate · (x_i − x_i(0)) in each iteration.
std::vector<std::vector<double>> mix_and_step(const Workload& workload, const MixingSchedule& mixing,
                                              int iterations, double learning_rate);

/// The mean of all workers' models, element by element.
std::vector<double> mean_of(const std::vector<std::vector<float>>& models);

/// The consensus distance of P models: √(Σ_i |x_i − mean|² / P).
double consensus_distance(const std::vector<std::vector<float>>& models);

}  // namespace starling
