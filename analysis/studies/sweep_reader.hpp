#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"

namespace starling {

/// What the command line says of a sweep.
struct SweepRequest {
  std::filesystem::path file;          // the base scenario, or a study that names one
  std::vector<std::string> varied;     // further axes: /json/pointer=A,B,C
  std::vector<std::string> overrides;  // of the base: /json/pointer=VALUE
  std::optional<int> seeds;            // if absent, the study's, or 1
};

/// Reads a base scenario or a study (`starling schema study`), applies the overrides to the base, and adds
/// the axes of the request. @throws ScenarioError if anything in these is wrong; the scenarios of the
/// combinations are not read yet (check_sweep()).
SweepPlan read_sweep(const SweepRequest& request);

/// Parses `/json/pointer=A,B,C` into an axis. A value that is no JSON is a text; commas inside brackets,
/// braces and quotes do not separate values. @throws ScenarioError that names the option --vary.
SweepAxis parse_axis(const std::string& option);

}  // namespace starling
