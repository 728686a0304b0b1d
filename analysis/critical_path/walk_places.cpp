#include "analysis/critical_path/walk_places.hpp"

#include <bit>

namespace starling {

void WalkPlaces::make_room() {
  if (group_at_.size() >= causes_.known()) return;
  group_at_.resize(causes_.known());
  has_walks_.resize(causes_.known() / word_bits + 1);
}

WalkPlaces::Group WalkPlaces::enter(Group group, Causes::Index step) {
  const std::size_t at = place(step);
  std::uint64_t& word = has_walks_[at / word_bits];
  if ((word & bit(at)) != 0) return group_at_[at];
  word |= bit(at);
  return group_at_[at] = group;
}

bool WalkPlaces::is_taken(Causes::Index step) const {
  const std::size_t at = place(step);
  return (has_walks_[at / word_bits] & bit(at)) != 0;
}

WalkPlaces::Group WalkPlaces::leave(Causes::Index step) {
  const std::size_t at = place(step);
  has_walks_[at / word_bits] &= ~bit(at);
  return group_at_[at];
}

Causes::Index WalkPlaces::last_taken(Causes::Index first, Causes::Index last) const {
  const std::size_t at = place(last);
  std::size_t word = at / word_bits;
  const std::uint64_t here = has_walks_[word] << (word_bits - 1 - at % word_bits);
  std::size_t found = at - static_cast<std::size_t>(std::countl_zero(here));
  if (here == 0) {
    const std::size_t first_word = place(first) / word_bits;
    do {
      if (word == first_word) return first - 1;
    } while (has_walks_[--word] == 0);
    found = word * word_bits + static_cast<std::size_t>(std::bit_width(has_walks_[word])) - 1;
  }
  const Causes::Index step = causes_.first() + found;
  return step < first ? first - 1 : step;
}

}  // namespace starling
