#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace starling {

/// The dimension of a quantity, with its SI unit.
enum class Dimension {
  time,       // seconds
  size,       // bytes
  bandwidth,  // bytes per second
};

/// The range of accepted numbers. Bounds are inclusive unless marked as excluded.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  bool excludes_least = false;
  bool excludes_greatest = false;

  bool contains(double value) const;
  /// The range in words: "from 1 to 10", "greater than 0 and at most 1"; empty for an unlimited range.
  std::string text() const;

  static constexpr Range above(double bound) { return {.least = bound, .excludes_least = true}; }

  friend bool operator==(const Range&, const Range&) = default;
};

/// The range of a quantity unless its key specifies another: 0 to 1e9 s, 0 to 1e18 bytes, 1 to 1e18 bytes per
/// second. These bounds are beyond all real machines and jobs, and keep sums and products finite.
constexpr Range default_range(Dimension dimension) {
  if (dimension == Dimension::time) return {.least = 0, .greatest = 1e9};
  return {.least = dimension == Dimension::bandwidth ? 1.0 : 0.0, .greatest = 1e18};
}

/// The most workers that a scenario may have, likewise beyond all real jobs.
inline constexpr int most_workers = 1 << 20;

/// The range of sizes of at least `least_bytes`.
constexpr Range sizes_from(double least_bytes) { return {.least = least_bytes, .greatest = 1e18}; }

/// The range of accepted integers, bounds included.
struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

  bool contains(std::int64_t value) const { return value >= least && value <= greatest; }
  /// The range in words: "from 1 to 10"; "at least 1" if it has no upper bound.
  std::string text() const;
};

}  // namespace starling
