#pragma once

#include <nlohmann/json.hpp>

#include "analysis/running/runner.hpp"
#include "analysis/uncertainty/uncertainty.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

/// Reads a scenario from `text` with `changes` merged into it; errors name `file`.
inline Scenario with_changes(const char* text, const nlohmann::json& changes, const char* file) {
  auto document = nlohmann::json::parse(text);
  document.merge_patch(changes);
  return read_scenario_document(document, file);
}

/// The result of a scenario with its uncertainty.
inline Result with_uncertainty(const Scenario& scenario, const UncertaintyOptions& options) {
  Result result = simulate(scenario);
  find_uncertainty(scenario, options, result);
  return result;
}

}  // namespace starling
