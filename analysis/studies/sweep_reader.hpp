#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"

namespace starling {

/// What of a sweep stands on the command line.
struct SweepRequest {
  std::filesystem::path file;          // the base scenario, or a study that names one
  std::vector<std::string> varied;     // /json/pointer=A,B,C
  std::vector<std::string> overrides;  // of the base: /json/pointer=VALUE
  std::optional<int> seeds;            // the study's if absent, or one
};

/// Reads a base scenario or a study (`starling schema study`), adds what the request varies as further axes,
/// and changes the base. @throws ScenarioError for anything that does not fit; combinations are not checked
/// yet.
SweepPlan read_sweep(const SweepRequest& request);

/// `/json/pointer=A,B,C` as an axis: values are JSON, or else texts; commas inside brackets, braces and
/// quotes are theirs. @throws ScenarioError that names the option --vary.
SweepAxis parse_axis(const std::string& option);

}  // namespace starling
