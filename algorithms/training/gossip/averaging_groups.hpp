#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/schedules/rank_partition.hpp"
#include "topologies/graphs/communication_graph_options.hpp"

namespace starling {

/// Who averages together in iterations 0, 1, …; afterwards it begins again.
using AveragingGroups = std::vector<RankPartition>;

/// The graphs whose iterations fall into groups.
std::vector<std::string> averaging_graph_names();

/// The communication graph of that name: complete, one_peer_ring, one_peer_exponential (by exchange) or
/// alternating_exponential_ring. @throws std::invalid_argument for another name.
CommunicationGraphKind averaging_graph(std::string_view name);

/// The groups of that graph, as topologies/graphs/communication_graph_options.hpp describes it. O(P · period)
/// memory.
/// @throws std::invalid_argument for another name, or numbers of workers that do not fit.
AveragingGroups make_averaging_groups(std::string_view graph, int workers, int workers_per_host);

}  // namespace starling
