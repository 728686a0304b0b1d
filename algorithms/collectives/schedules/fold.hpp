#pragma once

#include <bit>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "base/numbers/power_of_two.hpp"

namespace starling {

/// Reduces P ranks to the Q = 2^⌊log₂P⌋ core ranks that a butterfly needs: among the first 2(P−Q) ranks,
/// every even rank sends its data to its odd neighbor in a round before the core's rounds, and receives the
/// result from it in a round after them.
///
/// The Q other ranks are the core, numbered 0 … Q−1 in rank order. Unless P = Q, folding adds α + m(β+γ)
/// before and α + mβ after the core's rounds.
///
/// Reference: Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005, section 4.5.
class Fold {
 public:
  explicit Fold(int ranks)
      : core_size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        extra_ranks_(ranks - core_size_),
        dimensions_(log2_of(core_size_)) {}

  int core_size() const { return core_size_; }
  /// log₂Q.
  int dimensions() const { return dimensions_; }
  /// 1 if there is a round before and one after the core's rounds, else 0.
  int extra_rounds() const { return extra_ranks_ > 0 ? 1 : 0; }

  bool is_core(Rank rank) const { return !has_neighbor(rank) || rank % 2 == 1; }
  /// The number of a core rank within the core; rank_of() is the inverse.
  int core_index(Rank rank) const { return has_neighbor(rank) ? rank / 2 : rank - extra_ranks_; }
  Rank rank_of(int core_index) const {
    return core_index < extra_ranks_ ? 2 * core_index + 1 : core_index + extra_ranks_;
  }

  /// The round of `rank` before the core's rounds, and the one after them; empty for ranks without a partner.
  Round round_before(Rank rank, const Chunk& everything) const;
  Round round_after(Rank rank, const Chunk& everything) const;

 private:
  bool has_neighbor(Rank rank) const { return rank < 2 * extra_ranks_; }

  int core_size_;
  int extra_ranks_;
  int dimensions_;
};

}  // namespace starling
