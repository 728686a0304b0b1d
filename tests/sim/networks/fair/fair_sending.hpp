#pragma once

#include <vector>

#include "sim/networks/fair/fair_network.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {

/// Later than any message arrives.
inline constexpr double patience_s = 1e9;

/// Nearly exact sharing: an epsilon just large enough for shares that differ by rounding to count as equal.
inline constexpr FairOptions exact = {.epsilon = 1e-9};
/// The relative error of durations with an epsilon of 1e-9: each share is off by about epsilon, and the
/// errors of a few successive shares add up.
inline constexpr double share_error = 1e-8;

/// Alone a connection may send 500 bytes per round trip of 2.1 s, a fourth of the bandwidth, on a star of
/// links of 1 kB/s and 0.5 s.
inline constexpr FairOptions small_window = {.epsilon = 1e-9, .window_bytes = 500, .frame_bytes = 100};

/// A rate of 250 B/s, a fourth of the bandwidth of the same star.
inline constexpr FairOptions small_rate = {.epsilon = 1e-9, .connection_rate_Bps = 250};

/// Sends everything under fair: arrival times and the order of arrivals.
inline Arrivals send(const Routes& routes, const std::vector<Sending>& sendings,
                     const FairOptions& options = {}) {
  FairNetwork network(routes, options);
  return send_all(network, sendings, patience_s);
}

/// The time in seconds at which each message arrives under fair.
inline std::vector<double> arrivals_s(const Routes& routes, const std::vector<Sending>& sendings,
                                      const FairOptions& options = {}) {
  return send(routes, sendings, options).times_s;
}

}  // namespace starling
