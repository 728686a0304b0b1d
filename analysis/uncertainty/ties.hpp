#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/result.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// The scenario without learning and with jitter, so that events do not stay simultaneous: the latency of
/// each link, and the compute time of each worker in each iteration, are changed by at most a thousandth. The
/// placement is that of `result`, the scenario's own result.
Scenario jittered(const Scenario& scenario, const Result& result, std::uint64_t seed);

/// The range of a mean and of those means under jitter that differ from it by more than 1 %, and more than
/// three of their standard errors; absent if none does.
std::optional<Interval> range_by_ties(const SampleEstimate& mean_s,
                                      const std::vector<SampleEstimate>& jittered_s);

/// Warnings about the runs of a scenario's result that ties decide, one sentence each, with the range of the
/// mean.
///
/// Over a transport with one stream per pair, requests and answers wait behind the data of the pair. Where
/// two workers exchange messages by rendezvous, the data of the earlier one then flow first, and only if both
/// come at the very same moment do they flow side by side, in up to half the time. Over other transports a
/// worker that has received in a round begins to send in the next one while its send of this round, for which
/// its partner waits, still goes on; only if all workers begin together do these not overlap. So workers that
/// stay in lockstep for ever are faster than any real ones, and workers that stay apart by the same
/// microseconds slower.
///
/// Where nothing makes workers differ, algorithms that send by rendezvous over one stream (under `tcp` over
/// any number, as it simulates all streams of a pair as one), or over other transports anything but rings,
/// are therefore run again with jitter; there is a warning if the mean then differs by more than 1 %, and
/// more than three of its standard errors, in either direction. Costs a run of these algorithms, message by
/// message where messages may meet, of at most 60 counted iterations, as whole periods, unless a period is
/// longer; under `tcp` of at most 10, or one period.
///
/// Nothing is run on more than 256 workers, or with jobs, unless there is a single one that has all workers
/// in order: see unchecked_tie_warnings(). Nor under the engines `event` and `simgrid`, where no request
/// waits behind data.
std::vector<std::string> tie_warnings(const Scenario& of_result, const Result& result);

/// A warning, without numbers, that tie_warnings() did not check the algorithms or jobs of the result that
/// send by rendezvous behind data of their pair, though nothing makes their workers differ; at most one.
/// O(algorithms).
std::vector<std::string> unchecked_tie_warnings(const Scenario& scenario, const Result& result);

}  // namespace starling
