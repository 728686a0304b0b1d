#pragma once

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// A cable between every two hosts: hosts·(hosts−1)/2 of them.
Fabric build_complete(int hosts, const LinkOptions& link);

}  // namespace starling
