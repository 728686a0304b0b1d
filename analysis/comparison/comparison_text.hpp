#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/comparison/result_comparison.hpp"

namespace starling {

/// Tables: what differs in the inputs, how much each algorithm differs, and in which part of an iteration, in
/// what on its critical path, and on which link.
std::string comparison_table(const Comparison& comparison);

/// The same, unrounded.
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace starling
