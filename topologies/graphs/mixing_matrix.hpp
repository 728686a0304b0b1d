#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topologies/graphs/communication_graph.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// Where the weights of a mixing matrix come from.
enum class MixingRule {
  /// given if the graph has weights; otherwise metropolis_hastings if it is symmetric, else uniform.
  automatic,
  /// A worker that receives from d neighbors gives each of their models and its own the weight 1/(d + 1).
  /// Rows sum to 1.
  uniform,
  /// A worker that sends to d neighbors gives each of them, and itself, the share 1/(d + 1) of its model.
  /// Columns sum to 1.
  push_sum,
  /// Neighbors of degrees c and d give each other's model the weight 1/(max(c, d) + 1), and their own the
  /// remainder to 1. Symmetric graphs only; rows and columns sum to 1. Equals uniform if all degrees are
  /// equal.
  metropolis_hastings,
  /// The weights that came with the graph.
  given,
};

/// The name of the rule.
std::string name_of(MixingRule rule);

/// The weights W(t) of the averaging x_i(t+1) = Σ_j w_ij(t) x_j(t) in iteration t, where j is i itself or one
/// of its in-neighbors. Weights are computed when asked for; nothing but the graph is stored.
///
/// A list of weights takes the time of a list of neighbors; with metropolis_hastings, so does a worker's own
/// weight. Not thread-safe: const members use shared scratch space.
class MixingMatrix {
 public:
  /// @throws std::invalid_argument if the rule does not fit the graph.
  explicit MixingMatrix(std::shared_ptr<const CommunicationGraph> graph,
                        MixingRule rule = MixingRule::automatic);

  const CommunicationGraph& graph() const { return *graph_; }
  /// Never automatic.
  MixingRule rule() const { return rule_; }

  /// w_ij for i = destination and j = source, which may be the same; 0 if there is no edge.
  double weight(Rank destination, Rank source, std::int64_t iteration) const;
  /// w_ii
  double own_weight(Rank rank, std::int64_t iteration) const;
  /// w_ij of every in-neighbor j of i = rank, in ascending order of j. The find_… functions replace the
  /// contents of `found` and allocate only if its capacity does not suffice.
  std::vector<MixingNeighbor> received_weights(Rank rank, std::int64_t iteration) const;
  void find_received_weights(Rank rank, std::int64_t iteration, std::vector<MixingNeighbor>& found) const;
  /// w_ij of every out-neighbor i of j = rank, in ascending order of i.
  void find_sent_weights(Rank rank, std::int64_t iteration, std::vector<MixingNeighbor>& found) const;

 private:
  double edge_weight(Rank destination, Rank source, std::int64_t iteration) const;

  std::shared_ptr<const CommunicationGraph> graph_;
  MixingRule rule_;
  mutable std::vector<Rank> neighbors_;  // of the latest call
};

/// The most weights that an iteration may have: those of a complete graph of 8,192 workers. Beyond that,
/// messages fit neither into memory nor into any reasonable run time.
inline constexpr double most_weights = 1 << 26;

/// @throws std::invalid_argument if an iteration has more than most_weights weights, own weights included.
/// O(period · workers).
void check_weight_count(const CommunicationGraph& graph);

/// What an algorithm requires of a mixing matrix.
enum class Stochastic {
  /// Row-stochastic: every new model is a weighted mean, Σ_j w_ij = 1.
  rows,
  /// Column-stochastic: the sum of all models is preserved, Σ_i w_ij = 1. Push-sum requires this.
  columns,
  /// Doubly stochastic: the mean of all models is preserved, and equal models stay equal.
  doubly,
};

/// The tolerance of such sums: the mean of all models then drifts by at most this share per iteration.
inline constexpr double largest_weight_error = 1e-9;

/// Why the matrix does not meet the requirement; nothing if all its weights are at least 0 and sum to 1 as
/// required in every iteration of a period. O(period · edges) time.
std::optional<std::string> stochastic_problem(const MixingMatrix& matrix, Stochastic required);

/// @throws std::invalid_argument with the text of stochastic_problem() if there is one, or by
/// check_weight_count().
void check_stochastic(const MixingMatrix& matrix, Stochastic required);

}  // namespace starling
