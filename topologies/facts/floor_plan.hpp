#pragma once

#include <cstdint>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// Where hosts and switches stand in a machine room, which determines the lengths of cables.
///
/// Hosts fill rack after rack in the order of their numbers, racks fill row after row. A switch that has
/// hosts stands in the rack of the first of them. Any other switch stands in the median rack of those of its
/// neighbors that are nearer to hosts. So a wrap-around cable of a torus is as long as its dimension.
struct FloorPlan {
  int hosts_per_rack = 16;
  int racks_per_row = 16;
  double rack_width_m = 0.6;
  double row_pitch_m = 3;    // from one row to the next, including the aisle
  double within_rack_m = 2;  // length of a cable inside a rack
  double to_overhead_m = 4;  // from racks to the overhead tray, both ends together
};

void describe(FloorPlan& plan, OptionVisitor& visitor);

enum class CableClass { within_rack, within_row, between_rows };
std::string_view name_of(CableClass cable_class);

/// The cables of one class, length and bandwidth that end at equally many hosts.
struct CableGroup {
  CableClass cable_class = CableClass::within_rack;
  double length_m = 0;
  double bandwidth_Bps = 0;  // of the faster direction
  int host_ends = 0;         // 0, 1 or 2; the other ends are at switches
  std::int64_t cables = 0;

  int switch_ends() const { return 2 - host_ends; }
};

/// Switches whose names differ in their numbers only.
struct SwitchGroup {
  std::string name;
  int switches = 0;
  std::int64_t ports = 0;  // ports in use, of all switches together
  int most_ports = 0;      // greatest number in use on one switch
};

/// The parts of a network.
struct NetworkInventory {
  int hosts = 0;
  std::vector<SwitchGroup> switches;                  // from the hosts upward
  std::vector<CableGroup> cables;                     // by class, length, bandwidth and ends at hosts
  std::vector<std::vector<CableGroup>> switch_makes;  // the distinct sets of cables of a single switch

  std::int64_t number_of_cables() const;
};

/// O(links).
NetworkInventory network_inventory(const Network& network, const FloorPlan& plan = {});

}  // namespace starling
