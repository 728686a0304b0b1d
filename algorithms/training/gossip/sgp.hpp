#pragma once

#include <memory>

#include "algorithms/training/gossip/gossip_options.hpp"
#include "algorithms/training/gossip/host_sharing.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// Stochastic gradient push: SGD on push-sum. The gradient is taken at z = x/w, the step is made on x, then
/// (x, w) is pushed.
///
/// overlap 0: iteration t is exchange t and waits for its messages: F + B + U + T, where T is what
/// NeighborAveraging takes for as many neighbors and one element more.
/// overlap τ ≥ 1: iteration t with t mod τ = 0 first adds what was sent in iteration t − τ, then pushes
/// exchange t/τ and goes on: max(F + B + U, what is left of the messages' time). What the last exchange sent
/// is added after the last iteration and belongs to none. Afterwards the replica holds z.
/// In buckets, each with a weight of its own, (x, w) is pushed beside the backward pass, and the step is made
/// on what arrived: at least F + B + T(last bucket) + U.
/// per_host: on top, in every iteration, HostSharing's sum after B and its share after the exchange.
/// Reference: Assran, Loizou, Ballas, Rabbat, "Stochastic gradient push for distributed deep learning", ICML
/// 2019, algorithms 1 and 2.
class Sgp final : public TrainingAlgorithm {
 public:
  /// `mixing` is column-stochastic; iteration k of it is exchange k.
  /// With `hosts` it is one of HostMixing.
  Sgp(const SgpOptions& options, std::shared_ptr<const MixingSchedule> mixing,
      std::unique_ptr<const HostSharing> hosts = nullptr);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;

 private:
  class Run;

  SgpOptions options_;
  std::shared_ptr<const MixingSchedule> mixing_;
  std::unique_ptr<const HostSharing> hosts_;  // null: every worker has a model of its own
};

}  // namespace starling
