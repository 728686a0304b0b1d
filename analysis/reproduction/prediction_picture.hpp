#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/reproduction/reproduction.hpp"

namespace starling {

/// A gnuplot script for a picture of the compared entries: a row for each, grouped by paper, with the ratio
/// of the published to the predicted value, and the 90 % interval around the prediction. Entries outside of
/// their interval are labeled with their id. At least one entry must be compared.
std::string reproduction_plot(const std::vector<EntryOutcome>& outcomes,
                              const std::filesystem::path& picture);

}  // namespace starling
