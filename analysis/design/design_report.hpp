#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "analysis/design/design_answer.hpp"

namespace starling {

/// The front as a table, the answer in words, and what was tried and what was not.
std::string design_text(const DesignStudy& study, const DesignSpace& space,
                        std::span<const CandidateFinding> findings, const DesignAnswer& answer);

/// All of it: study, answer, every network, every candidate.
nlohmann::ordered_json design_json(const DesignStudy& study, const DesignSpace& space,
                                   std::span<const CandidateFinding> findings, const DesignAnswer& answer);

/// A row per candidate.
std::string design_csv(const DesignStudy& study, const DesignSpace& space,
                       std::span<const CandidateFinding> findings, const DesignAnswer& answer);

/// "fat tree, bandwidth=25Gbps".
std::string network_text(const DesignNetwork& network);

}  // namespace starling
