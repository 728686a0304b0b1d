#pragma once

#include <cstdint>
#include <vector>

#include "io/json/json_reader.hpp"
#include "scenarios/description/algorithm_description.hpp"

namespace starling {

/// Completes the algorithms of the list at `place`: gives each without a label its kind as one, followed by a
/// number where that is taken, and keeps its JSON from `as_read`. `workers_are_even`: all hosts have the same
/// number of workers. @throws ScenarioError for a label that appears twice, and for an algorithm that needs
/// the same number of workers on every host where they differ.
void complete_algorithms(std::vector<ScenarioAlgorithm>& algorithms, const JsonPlace& place,
                         nlohmann::ordered_json& as_read, bool workers_are_even);

/// The same for one algorithm, such as that of a job: its label is the given one, or its kind.
void complete_algorithm(ScenarioAlgorithm& algorithm, const JsonPlace& place, nlohmann::ordered_json& as_read,
                        bool workers_are_even);

/// Reads an algorithm outside of a scenario; `seed` is the default of the seeds of random graphs.
/// @throws ScenarioError.
ScenarioAlgorithm read_algorithm(const JsonPlace& place, std::uint64_t seed, bool workers_are_even);

}  // namespace starling
