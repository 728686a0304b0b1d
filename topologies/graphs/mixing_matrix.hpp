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
  /// given where the graph has weights, else metropolis_hastings where it is symmetric, else uniform.
  automatic,
  /// Whoever receives from d neighbors gives each model, its own too, the weight 1/(d + 1). Rows sum to 1.
  uniform,
  /// Whoever sends to d neighbors gives each, and itself, the share 1/(d + 1) of its model. Columns sum to 1.
  push_sum,
  /// Neighbors of degrees c and d give each other the weight 1/(max(c, d) + 1), and themselves what is left.
  /// Of symmetric graphs only; rows and columns sum to 1. Same as uniform where all degrees are equal.
  metropolis_hastings,
  /// Those that came with the graph.
  given,
};

/// As scenarios have it.
std::string name_of(MixingRule rule);

/// The weights W(t) of the averaging x_i(t+1) = Σ_j w_ij(t) x_j(t) in iteration t, where j is i itself or one
/// of its in-neighbors. Keeps nothing but the graph.
///
/// Takes O(degree) time for a list and, with metropolis_hastings, for a single weight. Calls on one object
/// must not run at the same time on several threads.
class MixingMatrix {
 public:
  /// @throws std::invalid_argument if the rule does not fit the graph.
  explicit MixingMatrix(std::shared_ptr<const CommunicationGraph> graph,
                        MixingRule rule = MixingRule::automatic);

  const CommunicationGraph& graph() const { return *graph_; }
  /// Never automatic.
  MixingRule rule() const { return rule_; }

  /// w_ij for i = destination and j = source, which may be the same; 0 where there is no edge.
  double weight(Rank destination, Rank source, std::int64_t iteration) const;
  /// w_ii
  double own_weight(Rank rank, std::int64_t iteration) const;
  /// w_ij of every in-neighbor j of i = rank, ascending. Those that are called find write it over `found`,
  /// without memory of its own where that has room.
  std::vector<MixingNeighbor> received_weights(Rank rank, std::int64_t iteration) const;
  void find_received_weights(Rank rank, std::int64_t iteration, std::vector<MixingNeighbor>& found) const;
  /// w_ij of every out-neighbor i of j = rank, ascending.
  void find_sent_weights(Rank rank, std::int64_t iteration, std::vector<MixingNeighbor>& found) const;

 private:
  double edge_weight(Rank destination, Rank source, std::int64_t iteration) const;

  std::shared_ptr<const CommunicationGraph> graph_;
  MixingRule rule_;
  mutable std::vector<Rank> neighbors_;  // of the latest question
};

/// The most weights of one iteration that can be taken: a complete graph of 8,192 workers. Whatever has more
/// neither fits into memory nor sends its messages in a lifetime.
inline constexpr double most_weights = 1 << 26;

/// @throws std::invalid_argument if an iteration has more weights, own ones included. O(period · workers).
void check_weight_count(const CommunicationGraph& graph);

/// What an algorithm asks of a mixing matrix.
enum class Stochastic {
  /// Every new model is a weighted mean: Σ_j w_ij = 1.
  rows,
  /// The sum over all workers stays: Σ_i w_ij = 1. What push-sum needs.
  columns,
  /// Both: the mean stays, and equal models stay equal.
  doubly,
};

/// Sums may be off by so much: the mean of all models then moves by at most this part in each iteration.
inline constexpr double largest_weight_error = 1e-9;

/// What is wrong with the matrix; nothing if all its weights are at least 0 and sum to 1 as required in every
/// iteration of a period. O(period · edges) time.
std::optional<std::string> stochastic_problem(const MixingMatrix& matrix, Stochastic required);

/// @throws std::invalid_argument with the stochastic_problem if there is one, or by check_weight_count.
void check_stochastic(const MixingMatrix& matrix, Stochastic required);

}  // namespace starling
