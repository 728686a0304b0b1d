#pragma once

#include <filesystem>
#include <vector>

#include "workloads/imbalance/imbalance_options.hpp"

namespace starling {

/// Reads a trace of compute times: CSV with the columns worker, iteration, seconds, with or without a byte
/// order mark. The first line may name the columns; empty lines are skipped. @throws ScenarioError, with the
/// number of the line, also for two times of the same worker and iteration.
std::vector<TracePoint> read_trace_file(const std::filesystem::path& file);

}  // namespace starling
