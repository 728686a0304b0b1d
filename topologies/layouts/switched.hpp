#pragma once

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// Puts a switch where each host of `direct` stands and hangs the hosts on the switches, one each, with
/// `host_link`: every path becomes two links longer. All vertices of `direct` must be hosts, and it must have
/// a router.
Fabric with_switches(Fabric direct, const LinkOptions& host_link);

}  // namespace starling
