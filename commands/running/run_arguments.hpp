#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/effort/run_effort.hpp"

namespace starling {

/// `starling run`.
struct RunArguments {
  std::filesystem::path scenario;
  std::optional<std::string> engine;
  std::optional<std::filesystem::path> out;
  bool is_traced = false;
  std::optional<std::string> trace_iterations;  // "3-5"
  std::optional<std::string> trace_workers;
  Watching watching;
  bool finds_sensitivity = false;
  bool is_reported = false;
  bool finds_uncertainty = false;
  int seeds = 1;
  bool prints_lines = false;           // of JSON, in place of the table
  bool prints_result = false;          // result.json in its place
  bool is_forced = false;              // runs whatever it takes, and replaces a finished result
  bool is_resumed = false;             // leaves a finished result of the same scenario as it is
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  bool is_quiet = false;
};

}  // namespace starling
