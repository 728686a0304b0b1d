#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/running/scenario_job.hpp"

namespace starling {

/// What is found out of what algorithms send: of all, by short runs of some tenths of a second if need be; or
/// only of those that send nothing but collectives, which takes no run.
enum class TrafficLookedAt { all, of_collectives };

/// A job, and where on its cluster's network its ranks are. Job and network must outlive it.
struct PlacedJob {
  const ScenarioJob& job;
  const Network& network;
  std::vector<Rank> workers;  // of the network, by the job's ranks
  TrafficLookedAt looked_at = TrafficLookedAt::all;
};

/// Says of a job where its algorithms leave much of the network idle. Of those that mostly send to the next
/// rank or the one before, around all ranks, where such messages share links that they would not share under
/// block placement, or along a snake: how much less the busiest link would carry there. Where hosts have
/// several network cards, of those of which one card carries twice as much as the average one or more of
/// those that the job's workers use. Of collectives, where what one rank sends to another takes one of
/// several cables that are narrower than its host's, and nothing else needs as long. Where NCCL's sockets
/// would be faster than they were ever measured to be, and where a link is so slow that its unit may have
/// been forgotten. Silent on more than 256 workers that send more than collectives, and of those whose models
/// take runs of more than 100,000 messages to find out what they send. O(workers · links of a
/// route) where nothing is said.
std::vector<std::string> traffic_warnings(const PlacedJob& placed);

/// The warnings of a job that has the cluster to itself.
std::vector<std::string> traffic_warnings(const ScenarioJob& job,
                                          TrafficLookedAt looked_at = TrafficLookedAt::all);

/// Tells them one by one; looks for none if there is nobody to be told.
void tell_traffic_warnings(const ScenarioJob& job, const std::function<void(const std::string&)>& told);

}  // namespace starling
