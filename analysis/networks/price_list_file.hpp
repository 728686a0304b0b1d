#pragma once

#include <filesystem>

#include "topologies/facts/price_list.hpp"

namespace starling {

/// Reads a price list. @throws ScenarioError if it cannot be read, or is not valid.
PriceList read_price_list(const std::filesystem::path& file);

/// The price list that comes with Starling: scenarios/prices/assumed.json.
std::filesystem::path shipped_price_list();

}  // namespace starling
