#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sim/messages/message_costs.hpp"

namespace starling {

/// The data that a host hands to its network card at once over TCP (segmentation offload): eight segments.
inline constexpr double default_frame_bytes = 8 * 1448;

/// A transport: the software that carries messages, with the default costs of a message at its two ends.
struct Transport {
  std::string name;
  std::string summary;  // one line
  MessageCosts costs;
  /// Replaces `costs.protocols` where every host has one worker; empty: no replacement.
  std::vector<Protocol> protocols_of_single_workers = {};
  /// Whether it needs verbs, and so a network of correspondingly low latency (see most_verbs_latency_s).
  bool is_verbs = false;
  /// Whether its streams are TCP connections.
  bool is_tcp = false;
  /// Whether a CPU core performs reductions. Their rate, `reduction_rate`, then has no default.
  bool sums_on_cores = false;
  /// How unevenly its streams share a link, see FairOptions.
  double unevenness = 0;
  /// The greatest rate over a cable of a host, in each direction.
  double host_rate_Bps = std::numeric_limits<double>::infinity();
};

/// All transports. The sources of their numbers are in scenarios/reference.md.
const std::vector<Transport>& transports();

std::vector<std::string> transport_names();

/// @throws InvariantError if no transport has this name.
const Transport& transport(std::string_view name);

/// A network whose latency between two hosts is at least this is assumed to use TCP: InfiniBand and RoCE
/// take 1 to 5 µs from host to host, TCP 15 µs and more.
inline constexpr double least_tcp_latency_s = 10e-6;
/// Transports over verbs are refused where the latency between two hosts is greater: no switched fabric
/// reaches that far.
inline constexpr double most_verbs_latency_s = 50e-6;

}  // namespace starling
