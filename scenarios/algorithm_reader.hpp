#pragma once

#include <string>
#include <vector>

#include "scenarios/json_reader.hpp"
#include "scenarios/scenario.hpp"

namespace starling {

/// A scenario's `algorithms`, with a label each: the given one, or the kind, with a number where that is
/// taken. `workers_are_even` tells whether every host has as many workers. @throws ScenarioError.
std::vector<ScenarioAlgorithm> read_algorithms(const JsonPlace& place, bool workers_are_even);

/// The kinds of algorithm that this version has.
const std::vector<std::string>& algorithm_kinds();

}  // namespace starling
