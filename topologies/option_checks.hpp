#pragma once

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "topologies/network_options.hpp"

namespace starling {

/// The most cables a network may have; its links then take about 2 GB.
inline constexpr int largest_cable_count = 1 << 23;

/// Throws std::invalid_argument with a formatted text.
template <typename... Arguments>
[[noreturn]] void reject(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw std::invalid_argument(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// @throws std::invalid_argument unless the bandwidth is positive, the latency at least zero and both finite.
/// `where` begins the text.
void check_link(std::string_view where, const LinkOptions& link);

/// @throws std::invalid_argument unless value is at least `least`.
void check_at_least(std::string_view where, int value, int least);

/// @throws std::invalid_argument if a network of that many cables is too large to build. The count is a
/// double, which no product of options overflows.
void check_cable_count(std::string_view kind, double cables);

}  // namespace starling
