#pragma once

#include <cstdint>
#include <vector>

#include "io/json/json_reader.hpp"
#include "scenarios/description/algorithm_description.hpp"

namespace starling {

/// Gives every algorithm of the list at that place a label: the given one, or the kind, with a number where
/// that is taken; and keeps what was read of it. @throws ScenarioError for a label that appears twice, and
/// for what needs as many workers on every host where that is not so.
void complete_algorithms(std::vector<ScenarioAlgorithm>& algorithms, const JsonPlace& place,
                         nlohmann::ordered_json& as_read, bool workers_are_even);

/// As complete_algorithms(), for the only algorithm of a job.
void complete_algorithm(ScenarioAlgorithm& algorithm, const JsonPlace& place, nlohmann::ordered_json& as_read,
                        bool workers_are_even);

/// Reads an algorithm that stands outside of a scenario. @throws ScenarioError.
ScenarioAlgorithm read_algorithm(const JsonPlace& place, std::uint64_t seed, bool workers_are_even);

}  // namespace starling
