#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/schedules/rank_partition.hpp"
#include "topologies/graphs/communication_graph_options.hpp"

namespace starling {

/// The groups that average together, for iterations 0, 1, … of a period; then they repeat.
using AveragingGroups = std::vector<RankPartition>;

/// The names of the graphs that divide the workers into groups in every iteration.
std::vector<std::string> averaging_graph_names();

/// The communication graph of that name: complete, one_peer_ring, one_peer_exponential (whose pairs exchange
/// models) or alternating_exponential_ring. @throws std::invalid_argument for another name.
CommunicationGraphKind averaging_graph(std::string_view name);

/// The groups of that graph; topologies/graphs/communication_graph_options.hpp describes them. O(P · period)
/// memory.
/// @throws std::invalid_argument for another name, or a number of workers or of workers per host that does
/// not fit the graph.
AveragingGroups make_averaging_groups(std::string_view graph, int workers, int workers_per_host);

}  // namespace starling
