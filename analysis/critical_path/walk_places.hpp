#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/causes.hpp"

namespace starling {

/// Which groups of walks are at which steps, one at each. Memory: 4 bytes and a bit for every step known.
class WalkPlaces {
 public:
  using Group = std::int32_t;

  /// `causes` must outlive this object.
  explicit WalkPlaces(const Causes& causes) : causes_(causes) {}

  /// For all steps that are known now; only while there are no walks.
  void make_room();
  /// The group that is at the step from now on: this one, unless another one was there before.
  Group enter(Group group, Causes::Index step);
  bool is_taken(Causes::Index step) const;
  /// The group there, which there must be, leaves.
  Group leave(Causes::Index step);
  /// The last step up to `last`, and not before `first`, at which there is one; `first` − 1 without.
  Causes::Index last_taken(Causes::Index first, Causes::Index last) const;

 private:
  static constexpr std::size_t word_bits = 64;
  std::size_t place(Causes::Index step) const { return step - causes_.first(); }
  static std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << place % word_bits; }

  const Causes& causes_;
  std::vector<Group> group_at_;           // by step, from the first that is known,
  std::vector<std::uint64_t> has_walks_;  // where its bit here says that there is one
};

}  // namespace starling
