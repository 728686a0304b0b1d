#pragma once

#include <cstdint>
#include <optional>

#include "analysis/results/link_use.hpp"
#include "sim/networks/link_watch.hpp"

namespace starling {

/// What was seen of a run that took so long; `is_told` says whether the model told when links carried what.
/// `iterations` is absent of several jobs.
LinkUses link_uses(LinkWatch& watch, bool is_told, double run_s, std::optional<std::int64_t> iterations);

}  // namespace starling
