#pragma once

#include <filesystem>
#include <string>

#include "analysis/regimes/regime_map.hpp"

namespace starling {

/// A gnuplot script that draws a map for each number of workers: fields in the fastest algorithm's color, or
/// hatched with it where colors come again, pale where it is not surely so, with a dot where that was
/// simulated, a cross where the model says otherwise.
std::string regimes_plot(const RegimeStudy& study, const RegimeMap& map,
                         const std::filesystem::path& picture);

}  // namespace starling
