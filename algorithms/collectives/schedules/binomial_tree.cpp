#include "algorithms/collectives/schedules/binomial_tree.hpp"

namespace starling {

Rank BinomialTree::parent(Rank rank) const {
  const int place = place_of(rank);
  return place == 0 ? -1 : rank_of(place & (place - 1));
}

int BinomialTree::level(Rank rank) const {
  const int place = place_of(rank);
  return place == 0 ? height_ : std::countr_zero(static_cast<unsigned>(place));
}

Rank BinomialTree::child(Rank rank, int level) const {
  const int place = place_of(rank) + (1 << level);
  return place < ranks_ ? rank_of(place) : -1;
}

Round BinomialReduce::round(Rank rank, int index) const {
  const int level = tree_.level(rank);
  if (index > level) return {};
  if (index == level) return {.send = {.peer = tree_.parent(rank), .chunk = everything()}};
  return {.receive = {.peer = tree_.child(rank, index), .chunk = everything()},
          .action = Round::Action::reduce};
}

Round BinomialBroadcast::round(Rank rank, int index) const {
  const int level = tree_.level(rank);
  const int active_level = tree_.height() - 1 - index;
  if (active_level > level) return {};
  if (active_level == level) {
    return {.receive = {.peer = tree_.parent(rank), .chunk = everything()}, .action = Round::Action::copy};
  }
  return {.send = {.peer = tree_.child(rank, active_level), .chunk = everything()}};
}

}  // namespace starling
