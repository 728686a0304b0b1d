#include "algorithms/training/gossip/mixing_options.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/reject.hpp"

namespace starling {
namespace {

/// Sums of that many weights around 1/P in double precision stay well within it.
constexpr double stochastic_tolerance = 1e-9;

/// The value of the key "graph": a name, or an object with a kind and its keys.
Nested graph_of(MixingOptions& options) {
  return {.describe =
              [&options](OptionVisitor& visitor) { describe_graph(options.graph, options.seed, visitor); },
          .or_name = true};
}

Nested graph_of(std::optional<MixingOptions>& options) {
  return {.describe =
              [&options](OptionVisitor& visitor) { describe_graph(options->graph, options->seed, visitor); },
          .is_present = options.has_value(),
          .may_be_absent = true,
          .set_present =
              [&options](bool is_present) {
                if (is_present) options.emplace();
                if (!is_present) options.reset();
              },
          .or_name = true};
}

void describe_rule(Option option, MixingRule& rule, OptionVisitor& visitor) {
  option.key = "mixing";
  option.meaning = "where the weights of the graph come from";
  visitor.choice(option, rule,
                 {{"automatic", MixingRule::automatic},
                  {"uniform", MixingRule::uniform},
                  {"push_sum", MixingRule::push_sum},
                  {"metropolis_hastings", MixingRule::metropolis_hastings},
                  {"given", MixingRule::given}});
}

void require_unit_sum(std::string_view algorithm, std::string_view what, double own,
                      const std::vector<MixingNeighbor>& others, Rank rank, std::int64_t iteration) {
  double sum = own;
  for (const MixingNeighbor& other : others) sum += other.weight;
  if (std::abs(sum - 1) <= stochastic_tolerance) return;
  reject("{}: the {} of rank {} in iteration {} sum to {}; it must be 1", algorithm, what, rank, iteration,
         sum);
}

}  // namespace

void describe_mixing(MixingOptions& options, std::string_view meaning_of_graph, OptionVisitor& visitor) {
  visitor.object({"graph", meaning_of_graph}, graph_of(options));
  describe_rule({}, options.rule, visitor);
}

void describe_mixing(std::optional<MixingOptions>& options, std::string_view meaning_of_graph,
                     OptionVisitor& visitor) {
  describe_graph(options, meaning_of_graph, visitor);
  MixingRule rule = options ? options->rule : MixingRule::automatic;
  describe_rule({.otherwise = "`\"automatic\"`",
                 .with = "graph",
                 .clash = "has no graph",
                 .instead = "a \"graph\" beside it"},
                rule, visitor);
  if (options) options->rule = rule;
}

void describe_graph(std::optional<MixingOptions>& options, std::string_view meaning_of_graph,
                    OptionVisitor& visitor) {
  visitor.object({"graph", meaning_of_graph}, graph_of(options));
}

MixingMatrix mixing_matrix(const MixingOptions& options, const ClusterFacts& facts, MixingRule automatic) {
  if (std::holds_alternative<AlternatingExponentialRingGraph>(options.graph))
    require_consecutive_ranks("graph \"alternating_exponential_ring\"", facts);
  std::shared_ptr<const CommunicationGraph> graph =
      build_communication_graph({.workers = facts.workers,
                                 .workers_per_host = facts.workers_per_host,
                                 .kind = options.graph,
                                 .seed = options.seed});
  check_connected("graph", *graph);
  const bool is_automatic = options.rule == MixingRule::automatic && !graph->has_weights();
  return MixingMatrix(std::move(graph), is_automatic ? automatic : options.rule);
}

void check_ranks(std::string_view algorithm, const MixingSchedule& mixing, int workers) {
  if (mixing.ranks() != workers)
    reject("{}: the graph has {} ranks, but there are {} workers", algorithm, mixing.ranks(), workers);
}

void check_schedule(std::string_view algorithm, const MixingSchedule& mixing, int workers,
                    Stochastic required) {
  check_ranks(algorithm, mixing, workers);
  for (std::int64_t iteration = 0; iteration < mixing.period(); ++iteration) {
    for (Rank rank = 0; rank < mixing.ranks(); ++rank) {
      const double own = mixing.own_weight(rank, iteration);
      require_unit_sum(algorithm, "weights of what leaves", own, mixing.out_neighbors(rank, iteration), rank,
                       iteration);
      if (required == Stochastic::columns) continue;
      require_unit_sum(algorithm, "weights of what arrives", own, mixing.in_neighbors(rank, iteration), rank,
                       iteration);
    }
  }
}

}  // namespace starling
