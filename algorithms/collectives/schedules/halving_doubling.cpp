#include "algorithms/collectives/schedules/halving_doubling.hpp"

#include "base/numbers/power_of_two.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

int reversed_bits(int value, int bits) {
  int reversed = 0;
  for (int bit = 0; bit < bits; ++bit) reversed |= ((value >> bit) & 1) << (bits - 1 - bit);
  return reversed;
}

Chunk elements(const EvenPartition& chunks, const Halving::Window& window) {
  return chunks.range(window.first, window.chunks);
}

Round halve(const Halving& halving, int step, Rank partner, const EvenPartition& chunks) {
  return {.send = {.peer = partner, .chunk = elements(chunks, halving.given(step))},
          .receive = {.peer = partner, .chunk = elements(chunks, halving.kept(step + 1))},
          .action = Round::Action::reduce};
}

/// The doubling round that reverses halving number `step`.
Round redouble(const Halving& halving, int step, Rank partner, const EvenPartition& chunks) {
  return {.send = {.peer = partner, .chunk = elements(chunks, halving.kept(step + 1))},
          .receive = {.peer = partner, .chunk = elements(chunks, halving.given(step))},
          .action = Round::Action::copy};
}

}  // namespace

int chunk_left_with(Rank rank, int ranks) { return reversed_bits(rank, log2_of(ranks)); }

Round HalvingDoublingAllReduce::round(Rank rank, int index) const {
  const int dimensions = fold_.dimensions();
  const int core_round = index - fold_.extra_rounds();
  if (core_round < 0) return fold_.round_before(rank, everything());
  if (core_round >= 2 * dimensions) return fold_.round_after(rank, everything());
  if (!fold_.is_core(rank)) return {};

  const bool halves = core_round < dimensions;
  const int step = halves ? core_round : 2 * dimensions - 1 - core_round;
  const int core_index = fold_.core_index(rank);
  // Step j splits by bit j of the core index, whereas Halving splits by the highest bit of the place that is
  // still undecided: so the place is the core index with its bits reversed.
  const Halving halving(reversed_bits(core_index, dimensions), fold_.core_size());
  const Rank partner = fold_.rank_of(core_index ^ (1 << step));
  return halves ? halve(halving, step, partner, chunks_) : redouble(halving, step, partner, chunks_);
}

RecursiveHalvingSchedule::RecursiveHalvingSchedule(Phase phase, int ranks, std::int64_t count)
    : Schedule(ranks, count), phase_(phase), dimensions_(log2_of(ranks)), chunks_(count, ranks) {
  if (!is_power_of_two(ranks)) {
    reject("{} needs a power of two of ranks, got {}", name(), ranks);
  }
}

std::string RecursiveHalvingSchedule::name() const {
  return phase_ == Phase::reduce_scatter ? "recursive halving reduce-scatter"
                                         : "recursive doubling all-gather";
}

Round RecursiveHalvingSchedule::round(Rank rank, int index) const {
  const Halving halving(chunk_left_with(rank, ranks()), ranks());
  const bool halves = phase_ == Phase::reduce_scatter;
  const int step = halves ? index : dimensions_ - 1 - index;
  const Rank partner = rank ^ (1 << step);
  return halves ? halve(halving, step, partner, chunks_) : redouble(halving, step, partner, chunks_);
}

}  // namespace starling
