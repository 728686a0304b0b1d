#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sim/messages/message_costs.hpp"

namespace starling {

/// What hosts hand to a network card at once over TCP: eight segments.
inline constexpr double usual_frame_bytes = 8 * 1448;

/// The software that carries messages: what a message costs at its two ends where nobody says otherwise.
struct Transport {
  std::string name;
  std::string summary;  // one line
  MessageCosts costs;
  /// Instead of the protocols of these costs where every host has one worker; empty: the same.
  std::vector<Protocol> protocols_of_single_workers = {};
  /// Whether it needs a network whose latency verbs reach.
  bool is_verbs = false;
  /// Whether its streams are TCP connections.
  bool is_tcp = false;
  /// Whether requests, answers and whatever is small wait behind the data of their stream, if there is one
  /// stream: MPI over TCP sends all in order. Others have queues, or reads by the receiver, beside it.
  bool sends_all_in_order = false;
  /// Whether a core adds what is received: its rate is `reduction_rate`, of which nothing is known until it
  /// is given.
  bool sums_on_cores = false;
  /// How far from equal the shares of its streams are, see FairOptions.
  double unevenness = 0;
  /// The most that it moves over a cable of a host, in each direction.
  double host_rate_Bps = std::numeric_limits<double>::infinity();
};

/// All there are. Sources of the numbers: scenarios/reference.md.
const std::vector<Transport>& transports();

std::vector<std::string> transport_names();

/// @throws InvariantError for a name that none has.
const Transport& transport(std::string_view name);

/// From this latency between two hosts on, a network is taken for one of TCP: InfiniBand and RoCE take 1 to
/// 5 µs from host to host, TCP 15 µs and more.
inline constexpr double least_tcp_latency_s = 10e-6;
/// Verbs are refused where a host is farther from the next: no fabric of switches reaches it.
inline constexpr double most_verbs_latency_s = 50e-6;

}  // namespace starling
