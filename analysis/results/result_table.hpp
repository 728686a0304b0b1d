#pragma once

#include <string>

#include "analysis/results/result.hpp"

namespace starling {

/// The result as a short table for people: one line per run, below a line that says what was simulated.
std::string result_table(const Result& result);

}  // namespace starling
