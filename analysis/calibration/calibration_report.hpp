#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/calibration/calibration.hpp"

namespace starling {

/// Latency and bandwidth of a known network between rank 0 and its partner on another host, without those of
/// hosts.
struct NominalRoute {
  double alpha_s = 0;
  double bandwidth_Bps = 0;
};

/// The document of a file that a scenario's `cluster` can name as its `file`: {"starling", "cluster",
/// "measured"}.
///
/// Bandwidth and start come from the last line of a pair, that of the largest messages, measured beside other
/// pairs if there were any; if its start is not significantly above 0, the start comes from the first line.
/// The start of messages above the eager threshold has three latencies, as a request and an answer come
/// before the data. A line with no positive time per byte is left out; without another one there is no
/// bandwidth, nor goodput.
///
/// Without a route the cluster's network is a star, whose links have half of the latency α that remains of
/// the start (2·o + α + wake-up); if all workers are on one host, that of the pair there. With the route of a
/// known network there is no network, but `goodput`, the share of the route's bandwidth that messages get
/// (without an error, which scenarios do not take), and `host_latency`, the latency beyond the route's. A
/// cluster has one overhead and one wake-up, those across hosts, which are subtracted from the start within a
/// host, too. Negative times count as 0, and goodput above 1 as 1.
nlohmann::ordered_json calibration_json(const Calibration& calibration,
                                        const std::optional<NominalRoute>& route);

/// A table for people: every parameter with its 95 % confidence interval, and notes: where overheads exceed
/// the start within a host, which lines are left out of the cluster, and which values are not written as
/// measured, as they contradict the network of the route.
std::string calibration_table(const Calibration& calibration,
                              const std::optional<NominalRoute>& route = std::nullopt);

}  // namespace starling
