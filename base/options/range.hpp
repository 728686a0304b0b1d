#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace starling {

/// What a quantity of a scenario measures.
enum class Dimension {
  time,       // seconds
  size,       // bytes
  bandwidth,  // bytes per second
};

/// Which numbers are accepted. Bounds are included unless they are said to be excluded.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  bool excludes_least = false;
  bool excludes_greatest = false;

  bool contains(double value) const;
  /// "from 1 to 10", "greater than 0 and at most 1"; empty for all numbers.
  std::string text() const;

  static constexpr Range above(double bound) { return {.least = bound, .excludes_least = true}; }

  friend bool operator==(const Range&, const Range&) = default;
};

/// The quantities that are accepted unless a key says otherwise: 0 to 1e9 s, 0 to 1e18 bytes, 1 to 1e18 bytes
/// per second. Beyond all machines and jobs, and small enough that sums and products of them stay finite.
constexpr Range usual_range(Dimension dimension) {
  if (dimension == Dimension::time) return {.least = 0, .greatest = 1e9};
  return {.least = dimension == Dimension::bandwidth ? 1.0 : 0.0, .greatest = 1e18};
}

/// What a scenario may have, beyond all machines and jobs, too.
inline constexpr int most_workers = 1 << 20;

/// Sizes of at least so many bytes.
constexpr Range sizes_from(double least_bytes) { return {.least = least_bytes, .greatest = 1e18}; }

/// Which integers are accepted, bounds included.
struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

  bool contains(std::int64_t value) const { return value >= least && value <= greatest; }
  /// "from 1 to 10"; "at least 1" where nothing but the type ends it.
  std::string text() const;
};

}  // namespace starling
