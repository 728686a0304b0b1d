#include "workloads/learning/normal_draw.hpp"

#include <boost/math/distributions/normal.hpp>

#include "base/numbers/double_policy.hpp"

namespace starling {

double normal_draw(const CounterRandom& random, std::uint32_t worker, std::uint64_t iteration,
                   std::uint32_t index) {
  return quantile(boost::math::normal_distribution<double, DoublePolicy>(),
                  random.uniform(worker, iteration, index));
}

}  // namespace starling
