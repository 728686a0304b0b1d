#pragma once

#include <string_view>

#include "base/reject.hpp"
#include "topologies/layouts/link_options.hpp"

namespace starling {

/// @throws std::invalid_argument unless the bandwidth is positive, the latency at least zero and both finite.
/// `where` begins the text.
void check_link(std::string_view where, const LinkOptions& link);

/// @throws std::invalid_argument if a network of that many cables is too large to build. The count is a
/// double, which no product of options overflows.
void check_cable_count(std::string_view kind, double cables);

}  // namespace starling
