#include "algorithms/training/gossip/averaging_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/reject.hpp"
#include "topologies/graphs/communication_graph.hpp"

namespace starling {
namespace {

constexpr std::array<std::string_view, 4> accepted = {"complete", "one_peer_ring", "one_peer_exponential",
                                                      "alternating_exponential_ring"};

RankPartition groups_of(const CommunicationGraph& graph, std::int64_t iteration) {
  RankPartition partition(graph.workers());
  for (Rank rank = 0; rank < graph.workers(); ++rank) {
    if (!partition.is_in_a_group(rank)) partition.add_group(graph.group(rank, iteration));
  }
  return partition;
}

}  // namespace

CommunicationGraphKind averaging_graph(std::string_view name) {
  if (name == "one_peer_exponential") return OnePeerExponentialGraph{.pairs = ExponentialPairs::exchange};
  if (std::ranges::find(accepted, name) != accepted.end()) return *communication_graph_kind(name);
  reject("graph is \"{}\"; it must be one of {}", name, fmt::join(accepted, ", "));
}

std::vector<std::string> averaging_graph_names() { return {accepted.begin(), accepted.end()}; }

AveragingGroups make_averaging_groups(std::string_view graph, int workers, int workers_per_host) {
  const auto communication_graph = build_communication_graph(
      {.workers = workers, .workers_per_host = workers_per_host, .kind = averaging_graph(graph)});
  AveragingGroups groups;
  for (int iteration = 0; iteration < communication_graph->period(); ++iteration) {
    groups.push_back(groups_of(*communication_graph, iteration));
  }
  return groups;
}

}  // namespace starling
