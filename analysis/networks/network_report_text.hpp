#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/networks/network_report.hpp"

namespace starling {

/// Tables: what the network is, its parts, and what they cost.
std::string network_table(const NetworkReport& report);

/// The same, unrounded, in SI units.
nlohmann::ordered_json network_json(const NetworkReport& report);

/// "94.5 W", "12,345 W".
std::string power_text(double power_W);

}  // namespace starling
