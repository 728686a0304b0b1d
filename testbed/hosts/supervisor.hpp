#pragma once

#include <string>

#include "testbed/hosts/device_setup.hpp"
#include "testbed/hosts/testbed_directory.hpp"
#include "testbed/network/packet_network.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// What a testbed is made from.
struct TestbedPlan {
  const Network& network;
  DeviceOptions devices;
  PacketNetworkOptions packets;
};

/// Whether a testbed outlives the process that started it.
enum class Lifetime { until_down, of_this_process };

/// Starts the processes that are the testbed, and returns when it is up. They are
///  - the supervisor, which makes the hosts' namespaces and then is the switch between them;
///  - its child, the first process of a process namespace in which all that users run lives: the kernel ends
///    them all when it ends, and it ends with the supervisor;
///  - its parent, the guardian, which removes the testbed's folder after the supervisor's end.
/// Namespaces, devices and mounts belong to these processes and no one else, so the kernel removes them
/// however the processes end.
///
/// @throws UsageError if a testbed of that name is up; std::runtime_error with the reason if the system
/// refuses.
void start_testbed(const TestbedPlan& plan, const TestbedDirectory& directory, Lifetime lifetime);

/// Ends a testbed and all that runs in it. Returns its report, or an empty text if it was not up; what a
/// crash left is removed either way. @throws std::runtime_error if it does not end.
std::string stop_testbed(const TestbedDirectory& directory);

}  // namespace starling
