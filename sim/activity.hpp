#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace starling {

/// What a worker's training loop is at; whoever watches a run is told. Messages may flow under all of them.
enum class Activity : std::uint8_t { waiting, delay, forward, backward, update };

inline constexpr std::array<const char*, 5> activity_names = {"waiting", "delay", "forward", "backward",
                                                              "update"};

inline const char* activity_name(Activity activity) {
  return activity_names[static_cast<std::size_t>(activity)];
}

}  // namespace starling
