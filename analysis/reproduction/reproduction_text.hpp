#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/reproduction/reproduction.hpp"

namespace starling {

/// reproduce.json.
nlohmann::ordered_json reproduction_json(const std::vector<EntryOutcome>& outcomes, bool is_finished);

/// For people: by paper, every entry with its published and its predicted value, then what is not comparable;
/// at most 100 columns where ids have at most 45.
std::string reproduction_table(const std::vector<EntryOutcome>& outcomes);

}  // namespace starling
