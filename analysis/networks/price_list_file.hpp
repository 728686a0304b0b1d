#pragma once

#include <filesystem>

#include "topologies/facts/price_list.hpp"

namespace starling {

/// Reads a price list. @throws ScenarioError if anything is wrong with it.
PriceList read_price_list(const std::filesystem::path& file);

/// The one that comes with Starling: scenarios/prices/assumed.json.
std::filesystem::path shipped_price_list();

}  // namespace starling
