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
  /// Of random graphs.
  std::uint64_t seed = 1;
};

/// The keys "graph" and "mixing".
void describe_mixing(MixingOptions& options, std::string_view meaning_of_graph, OptionVisitor& visitor);
/// The same where they may be left out.
void describe_mixing(std::optional<MixingOptions>& options, std::string_view meaning_of_graph,
                     OptionVisitor& visitor);
/// The key "graph" only, which may be left out.
void describe_graph(std::optional<MixingOptions>& options, std::string_view meaning_of_graph,
                    OptionVisitor& visitor);

/// The options' graph of all workers with its weights; `automatic` is what a rule left automatic becomes
/// where the graph brings no weights. @throws std::invalid_argument if it is not connected.
MixingMatrix mixing_matrix(const MixingOptions& options, const ClusterFacts& facts,
                           MixingRule automatic = MixingRule::automatic);

/// After how many iterations the options' graph of all workers repeats, connected or not. Cheaper than its
/// weights. @throws std::invalid_argument if there is no such graph.
int mixing_period(const MixingOptions& options, const ClusterFacts& facts);

}  // namespace starling
