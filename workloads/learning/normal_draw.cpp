#include "workloads/learning/normal_draw.hpp"

#include <boost/math/distributions/normal.hpp>

namespace starling {

namespace {

// Without promotion to long double, which is slow and differs between machines.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double normal_draw(const CounterRandom& random, std::uint32_t worker, std::uint64_t iteration,
                   std::uint32_t index) {
  return quantile(boost::math::normal_distribution<double, Policy>(),
                  random.uniform(worker, iteration, index));
}

}  // namespace starling
