#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testbed/network/host_routes.hpp"

namespace starling {

/// A host's device for one of its links to the network, called eth0, eth1, …, and the hosts that are reached
/// over it.
struct NetworkCard {
  std::string device;
  LinkIndex link = 0;
  std::vector<int> destinations;
};

/// The network cards of a host: one for each link with which a route from the host begins, in the order of
/// the links.
std::vector<NetworkCard> network_cards(const HostRoutes& routes, int host);

/// How the kernels of the hosts send.
struct DeviceOptions {
  /// The most bytes that a TCP connection may have in flight.
  std::int64_t window_bytes = 512 << 10;
  /// The most packets of a connection that a frame may hold.
  int packets_per_frame = 1;
};

/// The number of packets per frame: as many as the slowest link transmits in 50 us times the number of hosts,
/// at least 8, at most 20. The size is a compromise. Frames are forwarded as a whole, so flows that share a
/// link wait for each other's frames; but each frame is acknowledged, which at 8 packets takes 0.5 % of the
/// other direction, and the switch must handle all of them: 40,000 per second from all hosts, acknowledgments
/// included.
int packets_per_frame(const HostRoutes& routes);

/// The default size of the queue at a link: the windows of all connections between the workers, so that no
/// frame is ever dropped.
std::int64_t lossless_queue_bytes(int workers, std::int64_t window_bytes);

/// Input of `ip -batch` in the host's namespace: addresses, and for every other host a route and a permanent
/// neighbor entry, so that ARP is never needed.
std::string ip_batch(const HostRoutes& routes, int host, const DeviceOptions& options);
/// Input of `tc -batch` in the host's namespace. The switch alone would shape exactly, but a TAP device
/// accepts all that TCP sends. A shaper of the same rate in front of it keeps waiting data in the kernel,
/// whose limits on queued data then apply.
std::string tc_batch(const HostRoutes& routes, int host, const DeviceOptions& options);
/// Paths below /proc/sys and their values, for the host's namespace.
std::vector<std::pair<std::string, std::string>> kernel_settings(const DeviceOptions& options);

/// Input of `ip -batch` in the namespace of mpirun (the head): a bridge with a port for each host. The other
/// end of each port, "mgmt", is moved to the namespace at the host's path.
std::string management_ip_batch(const std::vector<std::string>& namespace_paths);

}  // namespace starling
