#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/training/synchronous/synchronous_options.hpp"
#include "topologies/graphs/communication_graph_options.hpp"
#include "topologies/graphs/mixing_matrix.hpp"

namespace starling {

/// Who averages with whom, and with which weights.
struct MixingOptions {
  CommunicationGraphKind graph = RingGraph{};
  MixingRule rule = MixingRule::automatic;
  /// Of random graphs.
  std::uint64_t seed = 1;
};

/// Models in buckets, averaged one after the other beside the backward pass, each as soon as its gradients
/// are there and without them: the step is made afterwards. A bucket closes with the tensor that brings it to
/// this many bytes; 0: one per tensor. Not negative.
///
/// This is how the baselines of WAGMA-SGD were run, one operation per tensor (its published code,
/// optimizer_*_imagenet.py): every operation waits for neighbors, so a delay passes as many neighbors in an
/// iteration as there are buckets.
using ModelBuckets = std::optional<double>;

/// Local steps, and every now and then the mean of all models.
struct LocalSgdOptions {
  static constexpr std::string_view kind = "local_sgd";
  /// As in synchronous_options.hpp.
  std::string collective = "ring";
  /// τ: models are averaged after every τ-th iteration; 1 averages after each. At least 1.
  int synchronization_period = 10;
  /// Not set: models are averaged as one, after the update. Set: as in ModelBuckets.
  ModelBuckets bucket_bytes = {};
};

/// D-PSGD: every worker averages its model with its neighbors' in every iteration.
struct DpsgdOptions {
  static constexpr std::string_view kind = "dpsgd";
  /// Must be connected, and doubly stochastic.
  MixingOptions mixing = {};
  /// Models travel while the gradient is computed, at the model before averaging; false: after the backward
  /// pass.
  bool overlap = false;
  /// Not set: models are averaged as one. Set: as in ModelBuckets; not with overlap.
  ModelBuckets bucket_bytes = {};
};

/// AD-PSGD: pairs of workers average beside the computation.
struct AdpsgdOptions {
  static constexpr std::string_view kind = "adpsgd";
  /// Pairs are edges of this graph: undirected, bipartite, connected, the same in all iterations. Left out:
  /// the published pairing. The weights mean nothing, a pair meets half-way.
  std::optional<MixingOptions> mixing = {};
  /// Of the partners drawn from that graph; the published pairing draws nothing.
  std::uint64_t seed = 0;
};

/// SGP, stochastic gradient push: push-sum over a directed graph.
struct SgpOptions {
  static constexpr std::string_view kind = "sgp";
  /// Must be connected, and column-stochastic; a rule left automatic is push_sum. Left out: the directed
  /// exponential graph.
  std::optional<MixingOptions> mixing = {};
  /// n: to how many a worker of the directed exponential graph sends in one exchange, at most as many as
  /// there are powers of two below P.
  int neighbors = 1;
  /// τ: messages travel for τ iterations, and are sent in every τ-th; 0: the iteration that sends them waits
  /// for them. At least 0.
  int overlap = 0;
  /// Not set: models are pushed as one, after the step. Set: as in ModelBuckets; only with overlap 0.
  ModelBuckets bucket_bytes = {};
  /// The workers of a host share one model, as in the released program: they sum gradients by a ring after
  /// the backward pass, each host's first worker pushes, and hands the model down a chain. The graph is one
  /// of hosts.
  bool per_host = false;
};

/// Decentralized averaging that communicates while it adapts: every message has an iteration's time.
struct DecentralizedAdamOptions {
  static constexpr std::string_view kind = "decentralized_adam";
  /// As in synchronous_options.hpp, within a group; hierarchical is ring where a group lies on one host.
  std::string collective = "ring";
  /// complete, one_peer_ring (P even), one_peer_exponential (P a power of two) or
  /// alternating_exponential_ring (a power of two of hosts, at least 2, with equally many workers).
  std::string graph = "alternating_exponential_ring";
  /// A bucket closes with the tensor that brings it to this many bytes. Above 0.
  double bucket_bytes = 25 * mebibyte;
};

}  // namespace starling
