#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/calibration/calibration.hpp"

namespace starling {

/// What a known network does between rank 0 and its partner on another host, without its hosts.
struct NominalRoute {
  double alpha_s = 0;
  double bandwidth_Bps = 0;
};

/// A file that a scenario's `cluster` can name as its `file`: {"starling", "cluster", "measured"}.
///
/// Of a pair's lines the last one counts, which is that of the largest messages, measured beside other pairs
/// if there were any; but if its start may as well be 0, the start of the first. The start of a line of
/// messages above the eager threshold has three latencies, as these have a request and an answer before them.
/// A line along which bytes take no time is left out, and without another one there is no bandwidth, nor
/// goodput. Without a route the cluster has a star as its network, whose links have half of the latency that
/// overhead leaves (2·o + α + wake-up = the start); of workers that are all on one host, theirs. With the
/// route of a known network it has no network, but `goodput` and `host_latency`: what is missing from the
/// route's bandwidth, of which scenarios take no error, and comes on top of its latency. A cluster has one
/// overhead and one wake-up, those across hosts: they are what is subtracted within a host, too. Negative
/// times count as 0, and goodput above 1 as 1.
nlohmann::ordered_json calibration_json(const Calibration& calibration,
                                        const std::optional<NominalRoute>& route);

/// For people: every parameter with its 95 % confidence interval, whether overhead leaves nothing within a
/// host, which lines the cluster does without, and what is not written as it was measured because the
/// network of the route would not allow it.
std::string calibration_table(const Calibration& calibration,
                              const std::optional<NominalRoute>& route = std::nullopt);

}  // namespace starling
