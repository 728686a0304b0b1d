#pragma once

#include <string>
#include <vector>

#include "analysis/reproduction/reproduction.hpp"

namespace starling {

/// The text of reproduce.json.
std::string reproduction_text(const std::vector<EntryOutcome>& outcomes, bool is_finished);

/// For people: by paper, every entry with its published and its predicted value, then what is not comparable;
/// at most 100 columns where ids have at most 45.
std::string reproduction_table(const std::vector<EntryOutcome>& outcomes);

}  // namespace starling
