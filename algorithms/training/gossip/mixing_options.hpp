#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/training/shared/cluster_facts.hpp"
#include "base/options/option_visitor.hpp"
#include "topologies/graphs/communication_graph_options.hpp"
#include "topologies/graphs/mixing_matrix.hpp"

namespace starling {

/// Who averages with whom, and with which weights.
struct MixingOptions {
  CommunicationGraphKind graph = RingGraph{};
  MixingRule rule = MixingRule::automatic;
  /// Seed of random graphs.
  std::uint64_t seed = 1;
};

/// Describes the keys "graph" and "mixing".
void describe_mixing(MixingOptions& options, std::string_view meaning_of_graph, OptionVisitor& visitor);
/// Describes both keys where they may be absent.
void describe_mixing(std::optional<MixingOptions>& options, std::string_view meaning_of_graph,
                     OptionVisitor& visitor);
/// Describes the key "graph" alone, which may be absent.
void describe_graph(std::optional<MixingOptions>& options, std::string_view meaning_of_graph,
                    OptionVisitor& visitor);

/// The mixing matrix of the options' graph over all workers. `automatic` is the rule that
/// MixingRule::automatic stands for where the graph brings no weights of its own. @throws
/// std::invalid_argument if the graph does not fit the cluster or is not connected.
MixingMatrix mixing_matrix(const MixingOptions& options, const ClusterFacts& facts,
                           MixingRule automatic = MixingRule::automatic);

/// The number of iterations after which the options' graph repeats; it need not be connected. Cheaper than
/// making the mixing matrix. @throws std::invalid_argument if the graph does not fit the cluster.
int mixing_period(const MixingOptions& options, const ClusterFacts& facts);

}  // namespace starling
