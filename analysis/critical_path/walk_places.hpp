#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starling {

/// Which groups of walks are at which of many places in a row, one group at each. Memory: 4 bytes and a bit
/// for every place.
class WalkPlaces {
 public:
  using Group = std::int32_t;

  /// At least so many places; only while there are no walks.
  void make_room(std::size_t places);
  /// The group that is there from now on: this one, unless another one was there before.
  Group enter(Group group, std::size_t place);
  bool is_taken(std::size_t place) const { return (has_walks_[place / word_bits] & bit(place)) != 0; }
  /// The group there, which there must be, leaves.
  Group leave(std::size_t place);
  /// The last place up to `last`, and not before `first`, at which there is one.
  std::optional<std::size_t> last_taken(std::size_t first, std::size_t last) const;

 private:
  static constexpr std::size_t word_bits = 64;
  static std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << place % word_bits; }

  std::vector<Group> group_at_;           // by place,
  std::vector<std::uint64_t> has_walks_;  // where its bit here says that there is one
};

}  // namespace starling
