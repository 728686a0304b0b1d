#pragma once

#include <filesystem>
#include <string>

#include "analysis/studies/pictures/sweep_observations.hpp"

namespace starling {

/// A picture of a sweep, to be drawn.
struct DrawnSweep {
  std::string script;   // for gnuplot
  std::string warning;  // of points that are left out, as their runs have no such figure; or empty
};

/// Draws a sweep to `picture`, whose name ends in .svg, .png or .pdf: means over seeds, and their 95 %
/// intervals as bands, or as bars at points that are alone on their curve. Axes of numbers that span a
/// factor of 20, or whose values across multiply rather than add up, are logarithmic; quantities are numbers,
/// other values stand side by side, as points with bars and nothing between them. Above it are the base's
/// name and what `where` fixes. @throws ScenarioError as
/// observe().
DrawnSweep sweep_plot(const SweepStore& store, const SweepPlotOptions& options,
                      const std::filesystem::path& picture);

}  // namespace starling
