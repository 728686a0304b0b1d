#pragma once

#include <string>

#include "testbed/hosts/device_setup.hpp"
#include "testbed/hosts/testbed_directory.hpp"
#include "testbed/network/packet_network.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// The network to emulate, and how.
struct TestbedPlan {
  const Network& network;
  DeviceOptions devices;
  PacketNetworkOptions packets;
};

/// Whether a testbed outlives the process that started it.
enum class Lifetime { until_down, of_this_process };

/// Starts the processes of a testbed, and returns when it is up:
///  - the supervisor, which creates the hosts' namespaces and then runs the switch between them;
///  - its child, the first process of the PID namespace in which all user programs run: it ends with the
///    supervisor, and when it ends, the kernel kills all others;
///  - its parent, the guardian, which removes the testbed's folder after the supervisor has ended.
/// Namespaces, devices and mounts belong to these processes only, so the kernel removes them however the
/// processes end.
///
/// @throws UsageError if a testbed of that name is up; std::runtime_error with the reason if it cannot be set
/// up.
void start_testbed(const TestbedPlan& plan, const TestbedDirectory& directory, Lifetime lifetime);

/// Ends a testbed and all that runs in it. Returns its report, or an empty text if it was not up. Removes
/// leftovers of a crash in either case. @throws std::runtime_error if the testbed does not end.
std::string stop_testbed(const TestbedDirectory& directory);

}  // namespace starling
