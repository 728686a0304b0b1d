#pragma once

#include <cstdint>
#include <optional>

#include "base/options/option_visitor.hpp"
#include "sim/messages/transport.hpp"

namespace starling {

/// How the connections of a FairNetwork behave.
struct FairOptions {
  /// By how much of its capacity a link may be over- or underloaded before its shares are computed anew;
  /// from 1e-9 to 0.1. Errors of durations are of this size: see README.md.
  double epsilon = 0.002;
  /// Most data of a connection that are sent and not yet acknowledged. Empty: more than any connection needs.
  /// Workers of one host have no such window.
  std::optional<double> window_bytes = {};
  /// What is acknowledged at once: an acknowledgment comes that much after the first byte was sent, at least.
  double frame_bytes = usual_frame_bytes;
  /// The most that a connection carries, from its first byte on, whatever its links have left. Empty: what
  /// they have. Workers of one host have no such limit.
  std::optional<double> connection_rate_Bps = {};
  /// What a connection carries together: each of them has such a window and such a rate.
  int streams = 1;
  /// S of the penalty latency + Σ S/bandwidth over a route: connections that compete for a link get rates in
  /// inverse proportion to it, of 1 ps at least, as TCP's and SimGrid's. Empty: equal rates.
  std::optional<double> weight_s_bytes = {};
  /// How far from equal the shares of a host's connections are: whenever one begins to share its first link,
  /// its weight is drawn anew, uniformly from 1 ± this times what it would be. Empty: equal.
  std::optional<double> unevenness = {};
  std::uint64_t seed = 1;  // of these
  /// Which part of a window waits for the first link of a route between hosts where another connection of the
  /// host competes for it, from 0 to 1: the connection's weight is 1/(1 + this) then, for which README.md has
  /// the reason. Empty: 0.
  std::optional<double> queued_at_first_link = {};
  /// Whether messages of at most a packet have a way of their own beside the data of their connection.
  bool has_control_channel = false;
  /// See FairShares.
  double patience = 4;
};

/// As the options say, else as the streams of the transport share.
inline double unevenness(const FairOptions& options, const Transport& transport) {
  return options.unevenness.value_or(transport.unevenness);
}

void describe(FairOptions& options, OptionVisitor& visitor);

}  // namespace starling
