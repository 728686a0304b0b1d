#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/registry.hpp"
#include "algorithms/training/training_options.hpp"
#include "base/options/option_visitor.hpp"

namespace starling {

/// One training algorithm of a scenario.
struct ScenarioAlgorithm {
  std::string label = {};  // unique within the scenario
  TrainingOptions options = registered_algorithms().front().defaults;
  nlohmann::ordered_json as_read = {};  // its JSON with defaults filled in, for result.json
};

/// Describes the list `algorithms` of a scenario.
void describe_algorithms(std::vector<ScenarioAlgorithm>& algorithms, OptionVisitor& visitor);

/// Describes the kind of an algorithm, its label and its options.
void describe(ScenarioAlgorithm& algorithm, OptionVisitor& visitor);

/// The keys of the options of a registered algorithm, without "kind" and "label".
std::set<std::string> option_keys(std::string_view kind);

/// The kinds of all registered algorithms.
std::vector<std::string> algorithm_kinds();

}  // namespace starling
