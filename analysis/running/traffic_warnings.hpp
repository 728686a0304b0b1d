#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/running/scenario_job.hpp"

namespace starling {

/// Whose traffic is looked at: that of all algorithms, by short runs of some tenths of a second where
/// necessary; or only of those that send nothing but collectives, which takes no run.
enum class TrafficScope { all, of_collectives };

/// A job, and the places of its ranks on the cluster's network. Job and network must outlive it.
struct PlacedJob {
  const ScenarioJob& job;
  const Network& network;
  std::vector<Rank> workers;  // of the network, by the job's ranks
  TrafficScope scope = TrafficScope::all;
};

/// Warnings about a job whose algorithms leave much of the network idle, or whose network is likely not
/// meant:
/// - algorithms that mostly send to the next or previous rank, around all ranks, where these messages share
///   links that they would not share under placement "block" or "snake"; says how much less the busiest link
///   would carry there;
/// - where hosts have several network cards, algorithms by which one card takes in at least twice the mean of
///   the cards that the job's workers use;
/// - collectives in which the messages of a pair take one of several cables that are narrower than the
///   host's, and nothing else takes as long;
/// - NCCL over sockets at rates higher than were ever measured;
/// - a link so slow that its unit may have been forgotten.
///
/// Not for more than 256 workers that send more than collectives, nor where it would take runs of more than
/// 100,000 messages to find out what algorithms send. O(workers · links of a route) where there is no
/// warning.
std::vector<std::string> traffic_warnings(const PlacedJob& placed);

/// The warnings of a job that has the cluster to itself.
std::vector<std::string> traffic_warnings(const ScenarioJob& job, TrafficScope scope = TrafficScope::all);

/// Calls `report` with each warning; looks for none if `report` is empty.
void report_traffic_warnings(const ScenarioJob& job, const std::function<void(const std::string&)>& report);

}  // namespace starling
