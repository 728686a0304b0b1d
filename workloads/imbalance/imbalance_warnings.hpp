#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/imbalance/imbalance_options.hpp"

namespace starling {

/// Warnings about options of a cause that may be mistakes, for a job of `workers` workers and an undisturbed
/// compute time of `compute_s` seconds per iteration.
std::vector<std::string> imbalance_warnings(const Imbalance& cause, int workers, double compute_s);

/// A warning if part of a cause lies outside the iterations that are counted, `warmup` … iterations−1;
/// nullopt if there is none.
std::optional<std::string> partial_cause_warning(const Imbalance& cause, std::int64_t warmup,
                                                 std::int64_t iterations);

}  // namespace starling
