#pragma once

#include <filesystem>
#include <string>

#include "analysis/studies/pictures/sweep_observations.hpp"

namespace starling {

/// A picture of a sweep as a gnuplot script.
struct DrawnSweep {
  std::string script;
  std::string warning;  // SweepObservations::warning
};

/// The script that draws a sweep to `picture`, whose name ends in .svg, .png or .pdf: means over seeds, with
/// their 95 % intervals as bands, or as bars at points that are alone on their curve. An axis of numbers is
/// logarithmic if its values span a factor of 20, or, across, if they grow by factors rather than by
/// differences. Numbers and quantities with units are placed by their values; other values stand side by
/// side, as points with bars and no lines between them. The title has the scenario's name and the conditions
/// of `where`. @throws ScenarioError as observe().
DrawnSweep sweep_plot(const SweepStore& store, const SweepPlotOptions& options,
                      const std::filesystem::path& picture);

}  // namespace starling
