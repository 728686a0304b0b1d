#pragma once

namespace starling {

/// A star whose links take half a second each, and another one to pass 1,000 bytes.
constexpr double slow_star_Bps = 1000;
constexpr double slow_link_s = 0.5;

}  // namespace starling
