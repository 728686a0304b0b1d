#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace starling {

/// A histogram of delays, in steps of a microsecond up to 10 ms.
class Lateness {
 public:
  void add(double late_s);

  std::int64_t count() const { return count_; }
  double max_s() const { return max_s_; }
  /// The delay that the given share of all entries does not exceed, rounded up to a microsecond but at most
  /// max_s(); max_s() if it is beyond 10 ms; 0 without entries.
  double quantile_s(double share) const;

 private:
  static constexpr std::size_t steps = 10'000;
  static constexpr double step_s = 1e-6;

  std::array<std::int64_t, steps> counts_{};  // greater delays are in count_ only
  std::int64_t count_ = 0;
  double max_s_ = 0;
};

}  // namespace starling
