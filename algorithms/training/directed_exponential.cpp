#include "algorithms/training/directed_exponential.hpp"

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <stdexcept>

namespace starling {

DirectedExponential::DirectedExponential(int ranks, int neighbours)
    : ranks_(ranks),
      neighbours_(ranks > 1 ? neighbours : 0),
      powers_(ranks > 1 ? std::bit_width(static_cast<unsigned>(ranks - 1)) : 1) {
  if (neighbours < 1 || neighbours_ > powers_) {
    throw std::invalid_argument(
        fmt::format("neighbours is {}; with {} workers it must be 1 … {}", neighbours, ranks, powers_));
  }
}

std::int64_t DirectedExponential::period() const {
  return neighbours_ == 0 ? 1 : powers_ / std::gcd(powers_, neighbours_);
}

double DirectedExponential::own_weight(Rank, std::int64_t) const { return 1.0 / (neighbours_ + 1); }

std::vector<MixingNeighbour> DirectedExponential::in_neighbours(Rank rank, std::int64_t iteration) const {
  return at_distances(rank, iteration, false);
}

std::vector<MixingNeighbour> DirectedExponential::out_neighbours(Rank rank, std::int64_t iteration) const {
  return at_distances(rank, iteration, true);
}

std::vector<MixingNeighbour> DirectedExponential::at_distances(Rank rank, std::int64_t iteration,
                                                               bool forward) const {
  std::vector<MixingNeighbour> others;
  others.reserve(static_cast<std::size_t>(neighbours_));
  for (int j = 0; j < neighbours_; ++j) {
    const std::int64_t distance = std::int64_t{1} << ((iteration * neighbours_ + j) % powers_);
    const std::int64_t other = rank + (forward ? distance : ranks_ - distance);
    others.push_back({static_cast<Rank>(other % ranks_), 1.0 / (neighbours_ + 1)});
  }
  return others;
}

}  // namespace starling
