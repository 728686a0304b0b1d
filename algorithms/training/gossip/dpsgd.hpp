#pragma once

#include <memory>

#include "algorithms/training/gossip/gossip_options.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// Decentralized parallel SGD: x_i(t+1) = Σ_j w_ij·x_j(t) − step(gradient at x_i(t)).
///
/// A worker waits for its neighbors only, so workers may be as many iterations apart as there are edges
/// between them. With T the time of NeighborAveraging, an iteration takes F + B + T + U; with `overlap`
/// models leave as soon as the iteration before ended (also while a delay passes): max(F + B, T) + U. In
/// buckets, the last of which is ready with the backward pass, at least F + B + T(last bucket) + U.
/// Reference: Lian, Zhang, Zhang, Hsieh, Zhang, Liu, "Can decentralized algorithms outperform centralized
/// algorithms?", NeurIPS 2017, algorithm 1.
class Dpsgd final : public TrainingAlgorithm {
 public:
  Dpsgd(const DpsgdOptions& options, std::shared_ptr<const MixingSchedule> mixing);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;

 private:
  class Run;

  DpsgdOptions options_;
  std::shared_ptr<const MixingSchedule> mixing_;
};

}  // namespace starling
