#pragma once

#include <filesystem>
#include <string>

#include "analysis/design/design_answer.hpp"

namespace starling {

/// A gnuplot script that draws the candidates that were tried to `picture`, whose name ends in .svg, .png or
/// .pdf: the objective, with 95 % intervals, over the price, a color for each algorithm, the front as a line,
/// and the target and the budget. Empty if there is nothing to draw. @throws ScenarioError if the name ends
/// otherwise.
std::string design_plot(const DesignFound& found, const std::filesystem::path& picture);

}  // namespace starling
