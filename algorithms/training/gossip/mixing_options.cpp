#include "algorithms/training/gossip/mixing_options.hpp"

#include <memory>
#include <utility>

namespace starling {
namespace {

/// The value of the key "graph": the name of a kind, or an object with the kind and its keys.
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
  option.meaning = "rule that determines the weights of the graph";
  visitor.choice(option, rule,
                 {{name_of(MixingRule::automatic), MixingRule::automatic},
                  {name_of(MixingRule::uniform), MixingRule::uniform},
                  {name_of(MixingRule::push_sum), MixingRule::push_sum},
                  {name_of(MixingRule::metropolis_hastings), MixingRule::metropolis_hastings},
                  {name_of(MixingRule::given), MixingRule::given}});
}

std::unique_ptr<CommunicationGraph> communication_graph_of(const MixingOptions& options,
                                                           const ClusterFacts& facts) {
  if (std::holds_alternative<AlternatingExponentialRingGraph>(options.graph))
    require_consecutive_ranks("graph \"alternating_exponential_ring\"", facts);
  return build_communication_graph({.workers = facts.workers,
                                    .workers_per_host = facts.workers_per_host,
                                    .kind = options.graph,
                                    .seed = options.seed});
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
                 .clash = "has no effect without a graph",
                 .instead = "a \"graph\" as well"},
                rule, visitor);
  if (options) options->rule = rule;
}

void describe_graph(std::optional<MixingOptions>& options, std::string_view meaning_of_graph,
                    OptionVisitor& visitor) {
  visitor.object({"graph", meaning_of_graph}, graph_of(options));
}

MixingMatrix mixing_matrix(const MixingOptions& options, const ClusterFacts& facts, MixingRule automatic) {
  std::shared_ptr<const CommunicationGraph> graph = communication_graph_of(options, facts);
  check_connected("graph", *graph);
  const bool is_automatic = options.rule == MixingRule::automatic && !graph->has_weights();
  return MixingMatrix(std::move(graph), is_automatic ? automatic : options.rule);
}

int mixing_period(const MixingOptions& options, const ClusterFacts& facts) {
  return communication_graph_of(options, facts)->period();
}

}  // namespace starling
