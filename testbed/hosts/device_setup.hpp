#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testbed/network/host_routes.hpp"

namespace starling {

/// A host's device for one of its links to the network, called eth0, eth1, …, and the hosts it leads to.
struct NetworkCard {
  std::string device;
  LinkIndex link = 0;
  std::vector<int> destinations;
};

/// One for each link on which some route from the host begins, in the order of the links.
std::vector<NetworkCard> network_cards(const HostRoutes& routes, int host);

/// How the hosts' kernels send.
struct DeviceOptions {
  /// What a TCP connection may have under way.
  std::int64_t window_bytes = 512 << 10;
  /// How many packets of a connection a frame may hold.
  int packets_per_frame = 1;
};

/// As many packets as the slowest link passes in 50 us for each host, at least 8, at most 20. Frames are
/// passed on as a whole, so what shares a link waits so long; but each is acknowledged, which at 8 packets
/// takes 0.5 % of the other direction, and the switch has few enough of them to pass: 40,000 a second from
/// all hosts, acknowledgments included.
int packets_per_frame(const HostRoutes& routes);

/// What may wait at a link unless the user says otherwise: the windows of all connections between so many
/// workers, so that no frame is ever dropped.
std::int64_t lossless_queue_bytes(int workers, std::int64_t window_bytes);

/// Input of `ip -batch` in the host's namespace: addresses, and for every other host a route and a permanent
/// neighbor, so that nothing is ever asked for by ARP.
std::string ip_batch(const HostRoutes& routes, int host, const DeviceOptions& options);
/// Input of `tc -batch` there. The switch alone would be exact, but a TAP device takes whatever TCP sends: a
/// shaper before it, of the same rate, keeps what waits in the kernel, whose limits on queued data then hold.
std::string tc_batch(const HostRoutes& routes, int host, const DeviceOptions& options);
/// Names below /proc/sys and their values, for the host's namespace.
std::vector<std::pair<std::string, std::string>> kernel_settings(const DeviceOptions& options);

/// Input of `ip -batch` in the namespace of mpirun: a bridge with a port for each host, whose other end,
/// "mgmt", goes to the namespace at that path.
std::string management_ip_batch(const std::vector<std::string>& namespace_paths);

}  // namespace starling
