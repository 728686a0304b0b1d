#pragma once

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// Replaces each host of `direct` by a switch and joins one host to each switch by `host_link`; every path
/// becomes two links longer. All vertices of `direct` must be hosts, and it must have a router.
Fabric with_switches(Fabric direct, const LinkOptions& host_link);

}  // namespace starling
