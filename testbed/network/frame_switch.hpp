#pragma once

#include <cstdint>
#include <vector>

#include "testbed/network/lateness.hpp"
#include "testbed/network/packet_network.hpp"
#include "testbed/network/tap_device.hpp"

namespace starling {

/// The devices of one host at the switch: one for each of its network cards.
struct SwitchPort {
  std::vector<TapDevice> devices;
};

/// Forwards frames between TAP devices in real time, at the times that PacketNetwork computes.
///
/// Reads a device as soon as the kernel wakes it. How late it reads is unknown; how late it writes is
/// recorded. Frames to other destinations than the other hosts, such as broadcasts, are dropped.
class FrameSwitch {
 public:
  FrameSwitch(const HostRoutes& routes, const PacketNetworkOptions& options, std::vector<SwitchPort> ports);

  /// Runs until one of the descriptors is readable, and returns that descriptor.
  int run_until_readable(const std::vector<int>& descriptors);

  struct Counters {
    std::int64_t received = 0;
    std::int64_t delivered = 0;
    std::int64_t delivered_bytes = 0;  // on the wire
    std::int64_t refused = 0;          // not accepted by the receiving kernel
    std::int64_t strays = 0;           // to a destination that is not another host
  };
  const Counters& counters() const { return counters_; }
  const Lateness& lateness() const { return lateness_; }
  const PacketNetwork& network() const { return network_; }

 private:
  double now_s() const;
  void read_some(int host, TapDevice& device);
  void deliver(double due_s, const Frame& frame);

  std::int64_t origin_ns_;
  std::vector<SwitchPort> ports_;
  PacketNetwork network_;
  Counters counters_;
  Lateness lateness_;
};

}  // namespace starling
