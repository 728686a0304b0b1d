#pragma once

#include <boost/math/policies/policy.hpp>

namespace starling {

/// The policy for Boost.Math functions: no promotion to long double, which is slow and differs between
/// machines.
using DoublePolicy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace starling
