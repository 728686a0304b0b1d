#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/imbalance/imbalance_options.hpp"

namespace starling {

/// What a cause makes of workers whose computing takes so long may not be what was meant.
std::vector<std::string> doubts_about(const Imbalance& cause, int workers, double compute_s);

/// What of a cause comes too late, or too early, for what is counted.
std::optional<std::string> doubt_about_end(const Imbalance& cause, std::int64_t warmup,
                                           std::int64_t iterations);

}  // namespace starling
