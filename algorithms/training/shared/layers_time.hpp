#pragma once

#include <numeric>
#include <span>

namespace starling {

/// The total time of layers first … end−1: a cache of one entry.
struct LayersTime {
  int first = -1;
  int end = -1;
  double sum_s = 0;
};

/// The sum of `seconds` over layers first … end−1. Caches the sum in `latest`, so that asking for the same
/// layers again takes O(1); otherwise O(end − first).
inline double sum_of_layers_s(std::span<const double> seconds, int first, int end, LayersTime& latest) {
  if (latest.first != first || latest.end != end)
    latest = {first, end, std::accumulate(seconds.begin() + first, seconds.begin() + end, 0.0)};
  return latest.sum_s;
}

}  // namespace starling
