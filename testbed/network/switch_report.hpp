#pragma once

#include <string>

#include "testbed/network/frame_switch.hpp"
#include "testbed/network/host_routes.hpp"

namespace starling {

/// What a switch did, for the user to judge whether what was measured over it can be trusted: how late it
/// was, what it dropped. `missing` is what the system refused it.
std::string switch_report(const FrameSwitch& frame_switch, const HostRoutes& routes,
                          const std::string& missing);

}  // namespace starling
