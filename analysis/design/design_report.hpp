#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/design/design_answer.hpp"

namespace starling {

/// A text report: the front as a table, the answer in words, and how many candidates were tried, and why
/// others were not.
std::string design_table(const DesignFound& found);

/// The content of design.json: study, answer, all networks and all candidates.
nlohmann::ordered_json design_json(const DesignFound& found);

/// The content of design.csv, with a row for each candidate.
std::string design_csv(const DesignFound& found);

/// The name of a network: its family, and what varies in it: "fat tree, bandwidth=25Gbps".
std::string network_text(const DesignNetwork& network);

}  // namespace starling
