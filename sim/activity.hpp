#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace starling {

/// The phase that a worker's training loop is in, as reported to whoever observes the run. Messages may be
/// in flight in every phase.
enum class Activity : std::uint8_t { waiting, delay, forward, backward, update };

inline constexpr std::array<const char*, 5> activity_names = {"waiting", "delay", "forward", "backward",
                                                              "update"};

inline const char* activity_name(Activity activity) {
  return activity_names[static_cast<std::size_t>(activity)];
}

}  // namespace starling
