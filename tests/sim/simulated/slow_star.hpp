#pragma once

namespace starling {

/// A star whose links have a latency of half a second and pass 1,000 bytes a second.
constexpr double slow_star_Bps = 1000;
constexpr double slow_link_s = 0.5;

}  // namespace starling
