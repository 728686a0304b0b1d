#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/comparison/result_comparison.hpp"

namespace starling {

/// Text tables of the inputs that differ, the difference of each algorithm, and the parts of an iteration, of
/// its critical path, and the links that account for it.
std::string comparison_table(const Comparison& comparison);

/// The same as JSON, unrounded.
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace starling
