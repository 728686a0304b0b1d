#include "analysis/critical_path/walk_places.hpp"

namespace starling {

void WalkPlaces::make_room(std::size_t places) {
  if (group_at_.size() >= places) return;
  group_at_.resize(places);
  has_walks_.resize(places / word_bits + 1);
}

}  // namespace starling
