#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/reproduction/reproduction.hpp"

namespace starling {

/// The document of reproduce.json.
nlohmann::ordered_json reproduction_json(const std::vector<EntryOutcome>& outcomes, bool is_finished);

/// A text for people: by paper, every entry with its published and its predicted value, then the entries that
/// are not comparable; at most 100 columns wide if ids have at most 45 characters.
std::string reproduction_table(const std::vector<EntryOutcome>& outcomes);

}  // namespace starling
