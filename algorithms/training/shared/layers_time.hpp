#pragma once

#include <numeric>
#include <span>

namespace starling {

/// What layers first … end−1 take together.
struct LayersTime {
  int first = -1;
  int end = -1;
  double sum_s = 0;
};

/// Of layers first … end−1, whose times these are. O(1) where the latest ones are asked for again, which it
/// notes.
inline double sum_of_layers_s(std::span<const double> seconds, int first, int end, LayersTime& latest) {
  if (latest.first != first || latest.end != end)
    latest = {first, end, std::accumulate(seconds.begin() + first, seconds.begin() + end, 0.0)};
  return latest.sum_s;
}

}  // namespace starling
