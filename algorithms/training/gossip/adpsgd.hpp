#pragma once

#include "algorithms/training/gossip/pairing.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"

namespace starling {

/// Asynchronous decentralized parallel SGD: a communication strand averages the worker's model with one
/// partner's at a time, while the main strand computes without ever waiting.
///
/// An iteration pulls the model, computes a gradient there, and adds its step to whatever the model is by
/// then: F + B + U. When iterations have ended since an active worker's last averaging began, its
/// communication strand asks the next partner: a notification and its model; the partner answers with its own
/// model, requests in the order they came, one after the other. Both then move half-way to the other's model
/// as it was sent, so an averaging is atomic and keeps the mean of all models whatever steps fall in between.
/// One takes 2(α + mβ) + 4β + mγ where nobody else is asking; iterations that end meanwhile share the next.
///
/// After its last averaging an active worker tells all its partners that it has finished; a passive one
/// serves until all have. Both come after the last iteration and belong to none. In the participation log an
/// averaging is an operation, in which the model that holds fewer iterations is older by the difference.
/// Reference: Lian, Zhang, Zhang, Liu, "Asynchronous decentralized parallel stochastic gradient descent",
/// ICML 2018.
class Adpsgd final : public TrainingAlgorithm {
 public:
  explicit Adpsgd(Pairing pairing);

  void run(Worker& worker, Replica& replica, const TrainingJob& job) const override;

 private:
  class Run;

  Pairing pairing_;
};

}  // namespace starling
