#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/effort/run_effort.hpp"

namespace starling {

/// The arguments of `starling run`.
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
  bool prints_lines = false;           // lines of JSON instead of the table
  bool prints_result = false;          // result.json instead of the table
  bool is_forced = false;              // runs whatever time and memory it takes; replaces a finished result
  bool is_resumed = false;             // keeps a finished result of the same scenario
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  bool is_quiet = false;
};

}  // namespace starling
