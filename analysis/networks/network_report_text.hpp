#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/networks/network_report.hpp"

namespace starling {

/// Text tables of the network's facts, its parts, and their cost.
std::string network_table(const NetworkReport& report);

/// The same as JSON, unrounded and in SI units.
nlohmann::ordered_json network_json(const NetworkReport& report);

/// "94.5 W", "12,345 W".
std::string power_text(double power_W);

}  // namespace starling
