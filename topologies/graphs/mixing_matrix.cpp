#include "topologies/graphs/mixing_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

// Lower bounds on what simulating a message takes.
constexpr double gb_per_message = 400e-9;
constexpr double s_per_message = 50e-9;

MixingRule automatic_rule(const CommunicationGraph& graph) {
  if (graph.has_weights()) return MixingRule::given;
  return graph.is_symmetric() ? MixingRule::metropolis_hastings : MixingRule::uniform;
}

void check_rule(MixingRule rule, const CommunicationGraph& graph) {
  if (rule == MixingRule::metropolis_hastings && !graph.is_symmetric()) {
    reject("mixing matrix: metropolis_hastings needs an undirected graph; uniform and push_sum do not");
  }
  if (rule == MixingRule::given && !graph.has_weights()) {
    reject("mixing matrix: no weights are given with the graph");
  }
}

bool is_one(double sum) { return std::abs(sum - 1) <= largest_weight_error; }

/// Checks all rows of one iteration, and adds up the columns on the way.
class IterationCheck {
 public:
  IterationCheck(const MixingMatrix& matrix, int iteration)
      : matrix_(matrix),
        iteration_(iteration),
        columns_(static_cast<std::size_t>(matrix.graph().workers()), 0) {}

  std::optional<std::string> problem(Stochastic required) {
    for (Rank rank = 0; rank < matrix_.graph().workers(); ++rank) {
      if (auto found = row_problem(rank, required != Stochastic::columns)) return found;
    }
    if (required == Stochastic::rows) return std::nullopt;
    const auto wrong = std::find_if_not(columns_.begin(), columns_.end(), is_one);
    if (wrong == columns_.end()) return std::nullopt;
    return fmt::format(
        "mixing matrix: the weights given to worker {}'s model in iteration {} sum to {}, but must sum to 1",
        wrong - columns_.begin(), iteration_, *wrong);
  }

 private:
  std::optional<std::string> row_problem(Rank rank, bool must_sum_to_one) {
    const double own = matrix_.own_weight(rank, iteration_);
    // If given weights sum to 1, the remainder may be slightly negative by rounding.
    if (own < -largest_weight_error) {
      return fmt::format(
          "mixing matrix: the own weight of worker {} in iteration {} is {}, but must be at least 0", rank,
          iteration_, own);
    }
    double sum = own;
    columns_[static_cast<std::size_t>(rank)] += own;
    matrix_.find_received_weights(rank, iteration_, received_);
    for (const auto& [source, weight] : received_) {
      sum += weight;
      columns_[static_cast<std::size_t>(source)] += weight;
    }
    if (!must_sum_to_one || is_one(sum)) return std::nullopt;
    return fmt::format(
        "mixing matrix: the weights that worker {} averages with in iteration {} sum to {}, but must sum to "
        "1",
        rank, iteration_, sum);
  }

  const MixingMatrix& matrix_;
  int iteration_;
  std::vector<double> columns_;
  std::vector<MixingNeighbor> received_;
};

}  // namespace

std::string name_of(MixingRule rule) {
  switch (rule) {
    case MixingRule::automatic:
      return "automatic";
    case MixingRule::uniform:
      return "uniform";
    case MixingRule::push_sum:
      return "push_sum";
    case MixingRule::metropolis_hastings:
      return "metropolis_hastings";
    case MixingRule::given:
      return "given";
  }
  STARLING_INVARIANT(false);
}

MixingMatrix::MixingMatrix(std::shared_ptr<const CommunicationGraph> graph, MixingRule rule)
    : graph_(std::move(graph)), rule_(rule == MixingRule::automatic ? automatic_rule(*graph_) : rule) {
  check_rule(rule_, *graph_);
}

double MixingMatrix::edge_weight(Rank destination, Rank source, std::int64_t iteration) const {
  switch (rule_) {
    case MixingRule::uniform:
      return 1.0 / (graph_->in_degree(destination, iteration) + 1);
    case MixingRule::push_sum:
      return 1.0 / (graph_->out_degree(source, iteration) + 1);
    case MixingRule::metropolis_hastings:
      return 1.0 /
             (std::max(graph_->in_degree(destination, iteration), graph_->in_degree(source, iteration)) + 1);
    case MixingRule::given:
    case MixingRule::automatic:
      break;
  }
  return graph_->given_weight(destination, source);
}

double MixingMatrix::weight(Rank destination, Rank source, std::int64_t iteration) const {
  if (destination == source) return own_weight(destination, iteration);
  const std::vector<Rank> sources = graph_->in_neighbors(destination, iteration);
  if (!std::binary_search(sources.begin(), sources.end(), source)) return 0;
  return edge_weight(destination, source, iteration);
}

double MixingMatrix::own_weight(Rank rank, std::int64_t iteration) const {
  if (rule_ != MixingRule::metropolis_hastings) return edge_weight(rank, rank, iteration);
  double left = 1;
  graph_->find_in_neighbors(rank, iteration, neighbors_);
  for (const Rank source : neighbors_) left -= edge_weight(rank, source, iteration);
  return left;
}

std::vector<MixingNeighbor> MixingMatrix::received_weights(Rank rank, std::int64_t iteration) const {
  std::vector<MixingNeighbor> found;
  find_received_weights(rank, iteration, found);
  return found;
}

void MixingMatrix::find_received_weights(Rank rank, std::int64_t iteration,
                                         std::vector<MixingNeighbor>& found) const {
  graph_->find_in_neighbors(rank, iteration, neighbors_);
  found.clear();
  for (const Rank source : neighbors_) found.push_back({source, edge_weight(rank, source, iteration)});
}

void MixingMatrix::find_sent_weights(Rank rank, std::int64_t iteration,
                                     std::vector<MixingNeighbor>& found) const {
  graph_->find_out_neighbors(rank, iteration, neighbors_);
  found.clear();
  for (const Rank destination : neighbors_)
    found.push_back({destination, edge_weight(destination, rank, iteration)});
}

void check_weight_count(const CommunicationGraph& graph) {
  for (int iteration = 0; iteration < graph.period(); ++iteration) {
    double count = graph.workers();
    for (Rank rank = 0; rank < graph.workers(); ++rank) count += graph.in_degree(rank, iteration);
    if (count <= most_weights) continue;
    reject(
        "mixing matrix: iteration {} has {:.0f} weights, whose messages would take at least {:.0f} GB of "
        "memory and {:.0f} s; at most {:.0f} weights are supported",
        iteration, count, count * gb_per_message, count * s_per_message, most_weights);
  }
}

std::optional<std::string> stochastic_problem(const MixingMatrix& matrix, Stochastic required) {
  for (int iteration = 0; iteration < matrix.graph().period(); ++iteration) {
    if (auto problem = IterationCheck(matrix, iteration).problem(required)) return problem;
  }
  return std::nullopt;
}

void check_stochastic(const MixingMatrix& matrix, Stochastic required) {
  check_weight_count(matrix.graph());
  if (const auto problem = stochastic_problem(matrix, required)) reject("{}", *problem);
}

}  // namespace starling
