#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace starling {

/// How late after their expiry timers were noticed: count, mean, standard deviation and maximum.
struct LateTimers {
  std::uint64_t count = 0;
  double sum_s = 0;
  double sum_of_squares_s2 = 0;
  double max_s = 0;

  void add(double late_s) {
    ++count;
    sum_s += late_s;
    sum_of_squares_s2 += late_s * late_s;
    max_s = std::max(max_s, late_s);
  }
  void add(const LateTimers& others) {
    count += others.count;
    sum_s += others.sum_s;
    sum_of_squares_s2 += others.sum_of_squares_s2;
    max_s = std::max(max_s, others.max_s);
  }

  double mean_s() const { return count > 0 ? sum_s / static_cast<double>(count) : 0; }
  /// The population standard deviation.
  double std_s() const {
    const double mean_of_squares_s2 = count > 0 ? sum_of_squares_s2 / static_cast<double>(count) : 0;
    return std::sqrt(std::max(0.0, mean_of_squares_s2 - mean_s() * mean_s()));
  }
};

}  // namespace starling
