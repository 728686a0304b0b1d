#pragma once

#include <filesystem>
#include <string>

#include "analysis/regimes/regime_map.hpp"

namespace starling {

/// A gnuplot script that draws a map for each number of workers. A point is a field in the color of its
/// fastest algorithm, hatched if there are more algorithms than colors, and pale if the point is not decided.
/// It has a dot if it is simulated, and a cross if the simulation contradicts the model.
std::string regimes_plot(const RegimeStudy& study, const RegimeMap& map,
                         const std::filesystem::path& picture);

}  // namespace starling
