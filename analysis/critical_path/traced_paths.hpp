#pragma once

#include <span>
#include <vector>

#include "analysis/critical_path/iteration_paths.hpp"
#include "sim/routes.hpp"
#include "sim/trace.hpp"

namespace starling {

/// A listener that passes the paths of a job to a timeline; rank r of the job is worker `workers[r]` of the
/// network. The timeline and the links must outlive the listener.
PathListener timeline_listener(TraceSink& trace, std::span<const Link> links, std::vector<Rank> workers);

}  // namespace starling
