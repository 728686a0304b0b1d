#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/studies/sweep_store.hpp"

namespace starling {

/// What a picture of a sweep shows. Dimensions are a varied pointer or "algorithm".
struct SweepPlotOptions {
  std::string x;
  std::string y = "iteration_time_s";     // a figure
  std::string color = "algorithm";        // a curve for each of its values
  std::optional<std::string> facet = {};  // a part of the picture for each of its values
  std::vector<std::string> where = {};    // /json/pointer=VALUE, or algorithm=LABEL: only these
};

/// A picture of a sweep, to be drawn.
struct DrawnSweep {
  std::string script;   // for gnuplot
  std::string warning;  // of points that are left out, as their runs have no such figure; or empty
};

/// Draws a sweep to `picture`, whose name ends in .svg, .png or .pdf: means over seeds, and their 95 %
/// intervals as bands, or as bars at points that are alone on their curve. Axes of numbers that span a
/// factor of 20, or whose values across multiply rather than add up, are logarithmic; quantities are numbers,
/// other values stand side by side, as points with bars and nothing between them. Above it are the base's
/// name and what `where` fixes. @throws ScenarioError that names the option if a dimension, a figure or a
/// value does not exist, or something else varies as well; and if no run has ended yet.
DrawnSweep sweep_plot(const SweepStore& store, const SweepPlotOptions& options,
                      const std::filesystem::path& picture);

}  // namespace starling
