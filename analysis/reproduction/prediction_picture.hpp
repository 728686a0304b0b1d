#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/reproduction/reproduction.hpp"

namespace starling {

/// gnuplot's script for a picture of the compared entries: a row for each, by paper; the published value over
/// the predicted one, and the 90 % interval around the prediction. Rows outside of theirs have their id.
/// At least one entry must be compared.
std::string reproduction_plot(const std::vector<EntryOutcome>& outcomes,
                              const std::filesystem::path& picture);

}  // namespace starling
