#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling {

/// Which group of walks is at each of many consecutive places, at most one at each. Memory: 4 bytes and a bit
/// for every place.
class WalkPlaces {
 public:
  using Group = std::int32_t;

  /// Provides at least so many places. Only while there are no walks.
  void make_room(std::size_t places);
  /// Puts the group at a place, unless another one is there. Returns the group that is there now.
  Group enter(Group group, std::size_t place) {
    std::uint64_t& word = has_walks_[place / word_bits];
    if ((word & bit(place)) != 0) return group_at_[place];
    word |= bit(place);
    return group_at_[place] = group;
  }
  bool is_taken(std::size_t place) const { return (has_walks_[place / word_bits] & bit(place)) != 0; }
  /// Removes and returns the group at a place, where there must be one.
  Group leave(std::size_t place) {
    has_walks_[place / word_bits] &= ~bit(place);
    return group_at_[place];
  }
  /// The last place up to `last` that has a group; there must be one.
  std::size_t last_taken(std::size_t last) const {
    std::size_t word = last / word_bits;
    std::uint64_t taken = has_walks_[word] & (~std::uint64_t{0} >> (word_bits - 1 - last % word_bits));
    while (taken == 0) taken = has_walks_[--word];
    return word * word_bits + static_cast<std::size_t>(std::bit_width(taken)) - 1;
  }

 private:
  static constexpr std::size_t word_bits = 64;
  static std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << place % word_bits; }

  std::vector<Group> group_at_;           // by place; valid where its bit in has_walks_ is set
  std::vector<std::uint64_t> has_walks_;  // a bit for each place
};

}  // namespace starling
