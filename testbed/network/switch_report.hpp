#pragma once

#include <string>

#include "testbed/network/frame_switch.hpp"
#include "testbed/network/host_routes.hpp"

namespace starling {

/// A report for users to judge whether measurements over the switch can be trusted: how late it was, what it
/// dropped, and `missing`, what the system refused (see become_punctual() in supervisor.cpp).
std::string switch_report(const FrameSwitch& frame_switch, const HostRoutes& routes,
                          const std::string& missing);

}  // namespace starling
