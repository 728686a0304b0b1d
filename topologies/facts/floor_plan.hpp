#pragma once

#include <cstdint>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// Where hosts and switches stand, from which the lengths of cables follow.
///
/// Hosts fill rack after rack in the order of their numbers, racks fill row after row. A switch with hosts
/// stands in the rack of the first of them; one without in the rack of the middle one of those that it joins
/// and that are nearer to hosts. So cables of a torus that close a dimension are as long as it is.
struct FloorPlan {
  int hosts_per_rack = 16;
  int racks_per_row = 16;
  double rack_width_m = 0.6;
  double row_pitch_m = 3;    // from one row to the next, with the aisle
  double within_rack_m = 2;  // a cable that stays in its rack
  double to_overhead_m = 4;  // up to the tray and down again, both ends together
};

void describe(FloorPlan& plan, OptionVisitor& visitor);

enum class CableClass { within_rack, within_row, between_rows };
std::string_view name_of(CableClass cable_class);

/// Cables of one kind.
struct CableGroup {
  CableClass cable_class = CableClass::within_rack;
  double length_m = 0;
  double bandwidth_Bps = 0;  // of one direction, the quicker one
  std::int64_t cables = 0;
};

/// Switches whose names differ by their numbers only.
struct SwitchGroup {
  std::string name;
  int switches = 0;
  std::int64_t ports = 0;  // that cables take, of all of them
  int most_ports = 0;      // of one of them
};

/// Ends of cables of one bandwidth.
struct PortGroup {
  double bandwidth_Bps = 0;
  std::int64_t ports = 0;
};

/// What a network is put together from.
struct NetworkInventory {
  int hosts = 0;
  std::vector<SwitchGroup> switches;                 // from the hosts upward
  std::vector<CableGroup> cables;                    // by class, length and bandwidth
  std::vector<PortGroup> host_ports;                 // network cards, by bandwidth
  std::vector<PortGroup> switch_ports;               // by bandwidth
  std::vector<std::vector<PortGroup>> switch_makes;  // of one switch, by bandwidth; each that there is

  std::int64_t number_of_cables() const;
};

/// O(links).
NetworkInventory network_inventory(const Network& network, const FloorPlan& plan = {});

}  // namespace starling
