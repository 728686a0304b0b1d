#pragma once

#include <filesystem>
#include <string>

#include "analysis/design/design_answer.hpp"

namespace starling {

/// A script for gnuplot that draws what was tried to `picture`, whose name ends in .svg, .png or .pdf: price
/// against objective with 95 % intervals, a color for each algorithm, the front as a line, target and budget.
/// Empty where there is nothing to draw.
/// @throws ScenarioError for another name.
std::string design_plot(const DesignFound& found, const std::filesystem::path& picture);

}  // namespace starling
