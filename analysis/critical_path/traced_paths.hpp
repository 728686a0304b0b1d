#pragma once

#include <span>
#include <vector>

#include "analysis/critical_path/iteration_paths.hpp"
#include "sim/routes.hpp"
#include "sim/trace.hpp"

namespace starling {

/// Tells a timeline of the paths of a job whose rank r is worker `workers[r]` of the network. The timeline
/// and the links must outlive what is returned.
PathListener telling(TraceSink& trace, std::span<const Link> links, std::vector<Rank> workers);

}  // namespace starling
