#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "topologies/facts/floor_plan.hpp"

namespace starling {

/// A port of a network card or of a switch, including its share of the price and power of the whole device.
struct PricedPort {
  std::string name;
  double bandwidth_Bps = 0;
  double price = 0;
  double power_W = 0;
};

/// A cable with its transceivers or fixed plugs.
struct PricedCable {
  std::string name;
  double bandwidth_Bps = 0;
  double most_length_m = 0;
  double price = 0;
  double price_per_m = 0;
  double power_W = 0;
};

/// Prices of the parts of a network, and the floor plan that gives the lengths of cables.
struct PriceList {
  std::string name;
  std::string source;
  std::string currency = "USD";
  FloorPlan floor_plan = {};
  std::optional<int> most_switch_ports = {};  // of one switch
  std::vector<PricedPort> network_cards = {};
  std::vector<PricedPort> switch_ports = {};
  std::vector<PricedCable> cables = {};
};

void describe(PricedPort& port, OptionVisitor& visitor);
void describe(PricedCable& cable, OptionVisitor& visitor);
void describe(PriceList& list, OptionVisitor& visitor);

/// How many pieces of one item of the list are bought.
struct CostLine {
  std::string item;
  std::int64_t count = 0;
  double price = 0;  // of all pieces
  double power_W = 0;
};

/// The purchase price and the power draw of a network.
struct NetworkCost {
  double price = 0;
  double power_W = 0;
  std::vector<CostLine> lines = {};  // network cards, switch ports, cables, each in the order of the list
};

/// Buys for each part of a link (a network card or a switch port at either end, a cable) the cheapest item
/// that is fast and long enough. If the list lacks a fast item for some part, the link is made of n links
/// side by side, each of the cheapest items that carry 1/n of its bandwidth: n of every part, so that the
/// parts fit together. n is the number with the least price, and the least such number.
///
/// O(groups of cables · items), for links side by side times the items, so that one inventory can be priced
/// by many lists; network_inventory() takes O(links).
/// @throws std::invalid_argument if the list lacks a network card, a switch port, or a cable of the required
/// length, or if too many pieces would be needed; the text says what is missing.
NetworkCost network_cost(const NetworkInventory& inventory, const PriceList& list);
/// The same, with the inventory of the network by the list's floor plan.
NetworkCost network_cost(const Network& network, const PriceList& list);

/// "no switch on the list "ours" has more than 64 ports, and this network needs one of 512"; empty if all
/// switches can be bought. Ports are counted as network_cost() buys them: several for a cable that is faster
/// than any single port, as in "… needs one of 256 for 32 cables".
std::string missing_switch(const NetworkInventory& inventory, const PriceList& list);

}  // namespace starling
