#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "topologies/facts/floor_plan.hpp"

namespace starling {

/// A port of a network card or of a switch, with its share of what it is a part of.
struct PricedPort {
  std::string name;
  double bandwidth_Bps = 0;
  double price = 0;
  double power_W = 0;
};

/// A cable with all that makes it work: transceivers, or what is fixed to its ends.
struct PricedCable {
  std::string name;
  double bandwidth_Bps = 0;
  double most_length_m = 0;
  double price = 0;
  double price_per_m = 0;
  double power_W = 0;
};

/// What the parts of a network cost, and where they stand.
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

/// So many of one item of the list.
struct CostLine {
  std::string item;
  std::int64_t count = 0;
  double price = 0;  // of all of them
  double power_W = 0;
};

/// What a network costs to buy, and what power it draws.
struct NetworkCost {
  double price = 0;
  double power_W = 0;
  std::vector<CostLine> lines = {};  // network cards, switch ports, cables, each in the order of the list
};

/// Each part is the cheapest item that is quick and long enough; where none is quick enough, several side by
/// side, as where a link stands for more than one cable.
///
/// O(groups of parts · items), so that many networks can be compared; network_inventory() is O(links).
/// @throws std::invalid_argument if the list has no network card, no switch port, or no cable of the length
/// that is needed; the text says what is needed.
NetworkCost network_cost(const NetworkInventory& inventory, const PriceList& list);
/// The cost of a network whose cables are as long as the list's floor plan makes them, likewise.
NetworkCost network_cost(const Network& network, const PriceList& list);

/// "no switch on the list "ours" has more than 64 ports, and this network needs one of 512"; empty where all
/// switches are for sale. Counted are ports as network_cost() buys them, so several for a cable that is
/// faster than any of them: "… needs one of 256 for 32 cables".
std::string missing_switch(const NetworkInventory& inventory, const PriceList& list);

}  // namespace starling
