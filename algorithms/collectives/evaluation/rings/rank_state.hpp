#pragma once

#include <array>

namespace starling {

/// A rank of a ring between two steps.
struct RankState {
  double begin_s = 0;       // of its next step
  double free_s = 0;        // when its hop has sent what was sent so far,
  double start_s = 0;       // and when the last of that which waits its turn began to flow
  double small_gone_s = 0;  // when the last small message has left

  static const std::array<double RankState::*, 4> times;  // all of these
};
inline constexpr std::array<double RankState::*, 4> RankState::times = {
    &RankState::begin_s, &RankState::free_s, &RankState::start_s, &RankState::small_gone_s};
/// FreeRoutes::never_s stays what it is.
inline RankState later(const RankState& state, double by_s) {
  return {state.begin_s + by_s, state.free_s + by_s, state.start_s + by_s, state.small_gone_s + by_s};
}

}  // namespace starling
