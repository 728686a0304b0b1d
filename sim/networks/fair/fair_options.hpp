#pragma once

#include <cstdint>
#include <optional>

#include "base/options/option_visitor.hpp"
#include "sim/messages/transport.hpp"

namespace starling {

/// How the connections of a FairNetwork behave.
struct FairOptions {
  /// By what share of its capacity a link may be over- or underloaded before its shares are computed anew;
  /// from 1e-9 to 0.1. Errors of durations are of this size: see README.md.
  double epsilon = 0.002;
  /// The most data of a connection that are sent and not yet acknowledged. Empty: unlimited. Workers of one
  /// host have no window.
  std::optional<double> window_bytes = {};
  /// The data that are acknowledged at once: the first acknowledgment comes after the transmission of this
  /// much, at least.
  double frame_bytes = default_frame_bytes;
  /// The greatest rate of a connection, from its first byte on, however much its links have left. Empty:
  /// unlimited. Does not apply to workers of one host.
  std::optional<double> connection_rate_Bps = {};
  /// The number of parallel streams of a connection, each with such a window and such a rate limit.
  int streams = 1;
  /// S of the penalty latency + Σ S/bandwidth over a route, at least 1 ps: connections that compete for a
  /// link get rates in inverse proportion to it, as with TCP and SimGrid. Empty: equal rates.
  std::optional<double> weight_s_bytes = {};
  /// How unevenly the connections of a host share its link: whenever one begins to share its first link, its
  /// weight is multiplied by a factor drawn uniformly from 1 ± this. Empty: equal.
  std::optional<double> unevenness = {};
  std::uint64_t seed = 1;  // of these draws
  /// The part of a window, from 0 to 1, that queues at the first link of a route between hosts where another
  /// connection of the host competes for it: the connection's weight is then 1/(1 + this), see README.md.
  /// Empty: 0.
  std::optional<double> queued_at_first_link = {};
  /// Whether messages of at most a packet have a channel of their own, beside the data of their connection.
  bool has_control_channel = false;
  /// See FairShares.
  double patience = 4;
};

/// The unevenness of the options, else of the transport.
inline double unevenness(const FairOptions& options, const Transport& transport) {
  return options.unevenness.value_or(transport.unevenness);
}

void describe(FairOptions& options, OptionVisitor& visitor);

}  // namespace starling
