#include "topologies/facts/floor_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "topologies/facts/cabling.hpp"

namespace starling {
namespace {

/// The distance in links of each vertex from the nearest host.
std::vector<int> levels_of(const Cabling& cabling) {
  std::vector<int> levels(index_of(cabling.vertices), -1);
  std::vector<int> queue;
  for (int host = 0; host < cabling.hosts; ++host) {
    levels[index_of(host)] = 0;
    queue.push_back(host);
  }
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const int neighbor : cabling.neighbors(queue[next])) {
      if (levels[index_of(neighbor)] >= 0) continue;
      levels[index_of(neighbor)] = levels[index_of(queue[next])] + 1;
      queue.push_back(neighbor);
    }
  return levels;
}

/// The first rack among a switch's hosts, or, without hosts, the median rack of its neighbors that are nearer
/// to hosts.
int rack_of_switch(const Cabling& cabling, int vertex, const std::vector<int>& levels,
                   const std::vector<int>& racks) {
  std::vector<int> below;
  for (const int neighbor : cabling.neighbors(vertex))
    if (levels[index_of(neighbor)] < levels[index_of(vertex)]) below.push_back(racks[index_of(neighbor)]);
  const std::size_t chosen = levels[index_of(vertex)] == 1 ? 0 : below.size() / 2;
  std::ranges::nth_element(below, below.begin() + static_cast<std::ptrdiff_t>(chosen));
  return below[chosen];
}

/// The rack of every vertex; switches that reach no host stand in the first rack.
std::vector<int> racks_of(const Cabling& cabling, const FloorPlan& plan) {
  const std::vector<int> levels = levels_of(cabling);
  std::vector<int> racks(index_of(cabling.vertices), 0);
  for (int host = 0; host < cabling.hosts; ++host) racks[index_of(host)] = host / plan.hosts_per_rack;
  std::vector<int> switches;
  for (int vertex = cabling.hosts; vertex < cabling.vertices; ++vertex)
    if (levels[index_of(vertex)] > 0) switches.push_back(vertex);
  std::ranges::stable_sort(switches, {}, [&](int vertex) { return levels[index_of(vertex)]; });
  for (const int vertex : switches) racks[index_of(vertex)] = rack_of_switch(cabling, vertex, levels, racks);
  return racks;
}

struct Run {
  CableClass cable_class = CableClass::within_rack;
  double length_m = 0;
};

Run run_between(int rack, int other, const FloorPlan& plan) {
  if (rack == other) return {CableClass::within_rack, plan.within_rack_m};
  const int rows = std::abs(rack / plan.racks_per_row - other / plan.racks_per_row);
  const int places = std::abs(rack % plan.racks_per_row - other % plan.racks_per_row);
  return {rows == 0 ? CableClass::within_row : CableClass::between_rows,
          plan.to_overhead_m + rows * plan.row_pitch_m + places * plan.rack_width_m};
}

/// "edge" of "edge12", "rail" of "rail0_1".
std::string group_name(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789_");
  return last == std::string::npos ? name : name.substr(0, last + 1);
}

std::vector<SwitchGroup> switch_groups(const Network& network, const Cabling& cabling) {
  std::vector<SwitchGroup> groups;
  for (int vertex = cabling.hosts; vertex < cabling.vertices; ++vertex) {
    const std::string name = group_name(network.vertices()[index_of(vertex)].name);
    auto group = std::ranges::find(groups, name, &SwitchGroup::name);
    if (group == groups.end()) group = groups.insert(group, SwitchGroup{.name = name});
    ++group->switches;
    group->ports += cabling.degree(vertex);
    group->most_ports = std::max(group->most_ports, cabling.degree(vertex));
  }
  return groups;
}

/// The bandwidth of the faster direction.
double bandwidth_of_cable(std::span<const Link> links, const Cabling& cabling, std::size_t link) {
  return std::max(links[link].bandwidth_Bps, links[index_of(cabling.opposite[link])].bandwidth_Bps);
}

/// The number of cables of each class, length, bandwidth and number of ends at hosts.
using CableCounts = std::map<std::tuple<CableClass, double, double, int>, std::int64_t>;

/// Counts the cables of a network, all of them or those of one vertex.
class CableCounter {
 public:
  CableCounter(std::span<const Link> links, const Cabling& cabling, const FloorPlan& plan)
      : links_(links), cabling_(cabling), plan_(plan), racks_(racks_of(cabling, plan)) {}

  CableCounts of_network() const {
    CableCounts counts;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (links_[i].from_vertex <= links_[i].to_vertex) count(i, counts);
    return counts;
  }
  CableCounts of_vertex(int vertex) const {
    CableCounts counts;
    for (int link = cabling_.first[index_of(vertex)]; link < cabling_.first[index_of(vertex) + 1]; ++link)
      count(index_of(link), counts);
    return counts;
  }

 private:
  void count(std::size_t link, CableCounts& counts) const {
    const auto [from, to] = std::pair(links_[link].from_vertex, links_[link].to_vertex);
    const Run run = run_between(racks_[index_of(from)], racks_[index_of(to)], plan_);
    const int host_ends = (from < cabling_.hosts) + (to < cabling_.hosts);
    ++counts[{run.cable_class, run.length_m, bandwidth_of_cable(links_, cabling_, link), host_ends}];
  }

  std::span<const Link> links_;
  const Cabling& cabling_;
  const FloorPlan& plan_;
  std::vector<int> racks_;
};

std::vector<CableGroup> cable_groups(const CableCounts& cables) {
  std::vector<CableGroup> groups;
  for (const auto& [kind, count] : cables) {
    const auto& [cable_class, length_m, bandwidth_Bps, host_ends] = kind;
    groups.push_back({cable_class, length_m, bandwidth_Bps, host_ends, count});
  }
  return groups;
}

std::vector<std::vector<CableGroup>> switch_makes(const CableCounter& counter, const Cabling& cabling) {
  std::set<CableCounts> makes;
  for (int vertex = cabling.hosts; vertex < cabling.vertices; ++vertex)
    makes.insert(counter.of_vertex(vertex));
  std::vector<std::vector<CableGroup>> groups;
  for (const CableCounts& make : makes) groups.push_back(cable_groups(make));
  return groups;
}

}  // namespace

void describe(FloorPlan& plan, OptionVisitor& visitor) {
  visitor.integer({"hosts_per_rack", "hosts of each rack; racks are filled in order of host numbers"},
                  plan.hosts_per_rack, {1, 1 << 20});
  visitor.integer({"racks_per_row", "racks of each row; rows are filled in order"}, plan.racks_per_row,
                  {1, 1 << 20});
  const Range length{.least = 0, .greatest = 1e4};
  visitor.number({"rack_width_m", "distance between neighboring racks of a row, in meters"},
                 plan.rack_width_m, length);
  visitor.number({"row_pitch_m", "distance between neighboring rows including the aisle, in meters"},
                 plan.row_pitch_m, length);
  visitor.number({"within_rack_m", "length of a cable inside a rack, in meters"}, plan.within_rack_m, length);
  visitor.number({"to_overhead_m",
                  "length of a cable between racks up to and down from the overhead tray, both ends "
                  "together, in meters"},
                 plan.to_overhead_m, length);
}

std::string_view name_of(CableClass cable_class) {
  switch (cable_class) {
    case CableClass::within_rack:
      return "within a rack";
    case CableClass::within_row:
      return "within a row";
    case CableClass::between_rows:
      break;
  }
  return "between rows";
}

std::int64_t NetworkInventory::number_of_cables() const {
  std::int64_t sum = 0;
  for (const CableGroup& group : cables) sum += group.cables;
  return sum;
}

NetworkInventory network_inventory(const Network& network, const FloorPlan& plan) {
  const Cabling cabling(network);
  const CableCounter counter(links_of_cables(network), cabling, plan);
  return {.hosts = network.hosts(),
          .switches = switch_groups(network, cabling),
          .cables = cable_groups(counter.of_network()),
          .switch_makes = switch_makes(counter, cabling)};
}

}  // namespace starling
