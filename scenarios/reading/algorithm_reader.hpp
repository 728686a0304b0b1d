#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/option_visitor.hpp"
#include "io/json_reader.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// What the readers of algorithms must know of the rest of the scenario.
struct AlgorithmContext {
  /// Every host has as many workers.
  bool workers_are_even = true;
  /// Of random choices that have no seed of their own.
  std::uint64_t seed = 1;
};

/// A scenario's `algorithms`, with a label each: the given one, or the kind, with a number where that is
/// taken. Keys without effect are added to `warnings`. @throws ScenarioError.
std::vector<ScenarioAlgorithm> read_algorithms(const JsonPlace& place, const AlgorithmContext& context,
                                               std::vector<std::string>& warnings);

/// The kind of an algorithm, its label and its options.
void describe(ScenarioAlgorithm& algorithm, OptionVisitor& visitor);

/// The kinds of algorithm that there are.
std::vector<std::string> algorithm_kinds();

}  // namespace starling
