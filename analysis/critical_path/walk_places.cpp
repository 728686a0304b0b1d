#include "analysis/critical_path/walk_places.hpp"

namespace starling {

void WalkPlaces::make_room(std::size_t places) {
  if (group_at_.size() >= places) return;
  group_at_.resize(places);
  has_walks_.resize(places / word_bits + 1);
}

std::optional<std::size_t> WalkPlaces::last_taken(std::size_t first, std::size_t last) const {
  const std::size_t first_word = first / word_bits;
  std::size_t word = last / word_bits;
  std::uint64_t taken = has_walks_[word] & (~std::uint64_t{0} >> (word_bits - 1 - last % word_bits));
  while (taken == 0) {
    if (word == first_word) return std::nullopt;
    taken = has_walks_[--word];
  }
  const std::size_t place = word * word_bits + static_cast<std::size_t>(std::bit_width(taken)) - 1;
  if (place < first) return std::nullopt;
  return place;
}

}  // namespace starling
