#include "testbed/network/lateness.hpp"

#include <algorithm>
#include <cmath>

namespace starling {

void Lateness::add(double late_s) {
  late_s = std::max(late_s, 0.0);
  ++count_;
  max_s_ = std::max(max_s_, late_s);
  const auto step = static_cast<std::size_t>(std::min(late_s / step_s, 1e9));
  if (step < steps) ++counts_[step];
}

double Lateness::quantile_s(double share) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count_)));
  std::int64_t seen = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    seen += counts_[step];
    if (seen >= wanted) return std::min(static_cast<double>(step + 1) * step_s, max_s_);
  }
  return max_s_;
}

}  // namespace starling
