#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/result.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// A scenario without learning in which nothing that happens at the same moment does so for long: the latency
/// of each link, and what each worker computes in each iteration, are changed by at most a thousandth.
/// `result`, of the scenario itself, has its placement.
Scenario jittered(const Scenario& scenario, const Result& result, std::uint64_t seed);

/// The range of a mean and of those under jitter that are more than 1 %, and more than three of their
/// standard errors, from it, if any is.
std::optional<Interval> range_by_ties(const SampleEstimate& mean_s,
                                      const std::vector<SampleEstimate>& jittered_s);

/// Which runs of a scenario's result ties decide, one sentence each, with the range of the mean.
///
/// Over a transport that has one stream a pair, requests and answers wait behind the data of the same pair.
/// Where two workers exchange messages by rendezvous, the earlier one's data then flow before the later
/// one's may; only if both come at the very same moment they flow side by side, in up to half the time. Over
/// other transports whoever has received in a round sends in the next one beside what it still sends in
/// this, which its partner waits for; only if all begin together nothing is beside it. Workers that stay in
/// lockstep for ever are then faster than any real ones, and those that keep coming apart by the same
/// microseconds slower. So where nothing makes workers differ, what sends by rendezvous over one stream, or
/// over others anything but rings of messages, is run once more, jittered, and those are named whose mean is
/// more than 1 %, and more than three of its standard errors, off on either side. Costs a run of these by
/// messages, where those may meet, of as many whole periods as 60 counted iterations have, unless they are
/// longer; nothing on more than 256 workers and under other engines than `fair`. Of jobs it tells only if
/// there is one, which has all workers.
std::vector<std::string> tie_warnings(const Scenario& of_result, const Result& result);

}  // namespace starling
