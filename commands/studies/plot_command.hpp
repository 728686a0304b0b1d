#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling plot`.
struct PlotArguments {
  std::filesystem::path folder;
  std::optional<std::string> x;
  std::optional<std::string> y;
  std::optional<std::string> color;
  std::optional<std::string> facet;
  std::vector<std::string> where;
  std::optional<std::filesystem::path> out;
  bool is_quiet = false;
};

void add_plot(CommandLine& line);

/// Draws a sweep with gnuplot. @throws ScenarioError, UsageError for bad input; std::runtime_error if there
/// is no gnuplot.
void plot_command(const PlotArguments& arguments);

}  // namespace starling
