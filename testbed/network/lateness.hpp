#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace starling {

/// How late things were done, in steps of a microsecond up to 10 ms.
class Lateness {
 public:
  void add(double late_s);

  std::int64_t count() const { return count_; }
  double max_s() const { return max_s_; }
  /// What that share of all was not later than, rounded up to a microsecond but at most max_s(); 0 if there
  /// was none.
  double quantile_s(double share) const;

 private:
  static constexpr std::size_t steps = 10'000;
  static constexpr double step_s = 1e-6;

  std::array<std::int64_t, steps> counts_{};  // later ones are in count_ only
  std::int64_t count_ = 0;
  double max_s_ = 0;
};

}  // namespace starling
