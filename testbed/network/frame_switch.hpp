#pragma once

#include <cstdint>
#include <vector>

#include "testbed/network/lateness.hpp"
#include "testbed/network/packet_network.hpp"
#include "testbed/network/tap_device.hpp"

namespace starling {

/// A host's end of the switch: one device for each of its network cards.
struct SwitchPort {
  std::vector<TapDevice> devices;
};

/// Passes frames between TAP devices in real time, when PacketNetwork says that they are due.
///
/// Reads a device as soon as the kernel wakes it; what reading is late is not known, what writing is late is
/// counted. Frames to anyone but the other hosts (broadcasts, for instance) are dropped.
class FrameSwitch {
 public:
  FrameSwitch(const HostRoutes& routes, const PacketNetworkOptions& options, std::vector<SwitchPort> ports);

  /// Runs until one of the descriptors can be read, and returns which.
  int run_until_readable(const std::vector<int>& descriptors);

  struct Counters {
    std::int64_t received = 0;
    std::int64_t delivered = 0;
    std::int64_t delivered_bytes = 0;  // on the wire
    std::int64_t refused = 0;          // by the receiving kernel
    std::int64_t strays = 0;           // to no host of ours
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
