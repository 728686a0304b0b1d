#pragma once

#include <optional>
#include <string>

#include "analysis/calibration/calibration.hpp"

namespace starling {

/// What a known network does between rank 0 and its partner on another host, without its hosts.
struct NominalRoute {
  double alpha_s = 0;
  double bandwidth_Bps = 0;
};

/// The text of a file that a scenario's `cluster` can name as its `file`: {"starling", "cluster",
/// "measured"}.
///
/// Of a pair's lines the last one counts, which is that of the largest messages, measured beside other pairs
/// if there were any. Without a route the cluster has a star as its
/// network, whose links have half of the latency that overhead leaves (2·o + α + wake-up = the line's start);
/// of workers that are all on one host, theirs. With the route of a known network it has no network, but
/// `goodput` and `host_latency`: what is missing from the route's bandwidth and comes on top of its latency.
/// Negative times count as 0.
std::string calibration_text(const Calibration& calibration, const std::optional<NominalRoute>& route);

/// For people: every parameter with its 95 % confidence interval.
std::string calibration_table(const Calibration& calibration);

}  // namespace starling
