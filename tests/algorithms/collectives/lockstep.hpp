#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/collectives/cost.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// The time in seconds of a schedule under the assumptions of the cost formulas: a message of m' bytes starts
/// when both its ends have begun their rounds and takes α + m'β, during which both ends are busy; its
/// reduction takes m'γ more.
inline double lockstep_s(const Schedule& schedule, double bytes_per_element, const LinearCosts& costs) {
  struct State {
    int round = 0;
    double begin_s = 0;
    double end_s = 0;
    bool has_sent = false;
    bool has_received = false;
  };
  std::vector<State> states(static_cast<std::size_t>(schedule.ranks()));
  const auto state = [&](Rank rank) -> State& { return states[static_cast<std::size_t>(rank)]; };
  const auto has_ended = [&](Rank rank) { return state(rank).round == schedule.rounds(rank); };
  for (bool advances = true; advances;) {
    advances = false;
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      if (has_ended(rank)) continue;
      State& own = state(rank);
      const Round round = schedule.round(rank, own.round);
      const Rank source = round.receive.peer;
      if (round.receive.is_present() && !own.has_received && !has_ended(source) && !state(source).has_sent) {
        const Round other = schedule.round(source, state(source).round);
        if (other.send.is_present() && other.send.peer == rank) {
          const double bytes = static_cast<double>(round.receive.chunk.count) * bytes_per_element;
          const double arrival_s =
              std::max(own.begin_s, state(source).begin_s) + costs.start_up_s + bytes * costs.s_per_byte;
          const double reduction_s =
              round.action == Round::Action::reduce ? bytes * costs.reduction_s_per_byte : 0;
          own.has_received = state(source).has_sent = true;
          own.end_s = std::max(own.end_s, arrival_s + reduction_s);
          state(source).end_s = std::max(state(source).end_s, arrival_s);
        }
      }
      if ((round.send.is_present() && !own.has_sent) || (round.receive.is_present() && !own.has_received))
        continue;
      own = {.round = own.round + 1, .begin_s = own.end_s, .end_s = own.end_s};
      advances = true;
    }
  }
  double end_s = 0;
  for (const State& rank : states) end_s = std::max(end_s, rank.begin_s);
  return end_s;
}

}  // namespace starling
