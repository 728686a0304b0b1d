#pragma once

#include <array>

namespace starling {

/// A rank of a ring between two steps. A time may be FreeRoutes::never_s.
struct RankState {
  double begin_s = 0;       // its next step begins
  double free_s = 0;        // the hop from the rank has transmitted all queued messages so far
  double start_s = 0;       // the last queued message began to flow
  double small_gone_s = 0;  // the last small message has left

  static const std::array<double RankState::*, 4> times;  // all members
};
inline constexpr std::array<double RankState::*, 4> RankState::times = {
    &RankState::begin_s, &RankState::free_s, &RankState::start_s, &RankState::small_gone_s};
/// The state shifted in time; FreeRoutes::never_s does not change.
inline RankState later(const RankState& state, double by_s) {
  return {state.begin_s + by_s, state.free_s + by_s, state.start_s + by_s, state.small_gone_s + by_s};
}

}  // namespace starling
