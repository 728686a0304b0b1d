#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/design/design_answer.hpp"

namespace starling {

/// The front as a table, the answer in words, and what was tried and what was not.
std::string design_table(const DesignFound& found);

/// All of it: study, answer, every network, every candidate.
nlohmann::ordered_json design_json(const DesignFound& found);

/// A row per candidate.
std::string design_csv(const DesignFound& found);

/// "fat tree, bandwidth=25Gbps".
std::string network_text(const DesignNetwork& network);

}  // namespace starling
