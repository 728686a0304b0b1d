#include "topologies/facts/price_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/reject.hpp"

namespace starling {
namespace {

constexpr Range amounts{.least = 0, .greatest = 1e12};
constexpr double most_pieces = 1e15;  // of one item; sums of several such numbers are still exact doubles

/// The item chosen for a part, and how many pieces of it work side by side.
struct Choice {
  std::size_t item = 0;
  std::int64_t side_by_side = 0;
  double price = 0;

  /// Prefers one piece that is fast enough to several side by side, then the lower price.
  bool is_better_than(const Choice& other) const {
    if (other.side_by_side == 0) return true;
    if ((side_by_side == 1) != (other.side_by_side == 1)) return side_by_side == 1;
    return price < other.price;
  }
};

std::int64_t needed_of(double item_Bps, double needed_Bps) {
  // A bandwidth that is equal but for rounding is enough.
  return static_cast<std::int64_t>(std::ceil(needed_Bps / item_Bps * (1 - 1e-9)));
}

/// Adds up the pieces bought of each item of a list.
class Basket {
 public:
  explicit Basket(std::size_t items) : lines_(items) {}

  void add(const Choice& choice, std::int64_t count, const std::string& name, double power_W) {
    CostLine& line = lines_[choice.item];
    if (static_cast<double>(count) * static_cast<double>(choice.side_by_side) > most_pieces)
      reject("the price list has only \"{}\" for links that need {} of them in parallel", name,
             choice.side_by_side);
    const std::int64_t pieces = count * choice.side_by_side;
    line.item = name;
    line.count += pieces;
    line.price += choice.price * static_cast<double>(count);
    line.power_W += power_W * static_cast<double>(pieces);
  }
  void move_to(NetworkCost& cost) const {
    for (const CostLine& line : lines_) {
      if (line.count == 0) continue;
      cost.price += line.price;
      cost.power_W += line.power_W;
      cost.lines.push_back(line);
    }
  }

 private:
  std::vector<CostLine> lines_;
};

Choice cheapest_port(const std::vector<PricedPort>& items, double needed_Bps) {
  Choice best;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::int64_t count = needed_of(items[i].bandwidth_Bps, needed_Bps);
    const double price = items[i].price * static_cast<double>(count);
    if (const Choice tried{i, count, price}; tried.is_better_than(best)) best = tried;
  }
  return best;
}

void buy_ports(const std::vector<PortGroup>& groups, const std::vector<PricedPort>& items,
               std::string_view what, const std::string& list_name, NetworkCost& cost) {
  if (!groups.empty() && items.empty())
    reject("the price list \"{}\" has no {}, but the network needs some of {:g} Gbps", list_name, what,
           groups.front().bandwidth_Bps * 8e-9);
  Basket basket(items.size());
  for (const PortGroup& group : groups) {
    const Choice best = cheapest_port(items, group.bandwidth_Bps);
    basket.add(best, group.ports, items[best.item].name, items[best.item].power_W);
  }
  basket.move_to(cost);
}

/// The number of ports that a switch needs, and of cables that it has: a cable may need several ports of the
/// list.
std::pair<std::int64_t, std::int64_t> ports_needed_by(const std::vector<PortGroup>& make,
                                                      const PriceList& list) {
  std::int64_t ports = 0;
  std::int64_t cables = 0;
  for (const PortGroup& group : make) {
    ports += group.ports * cheapest_port(list.switch_ports, group.bandwidth_Bps).side_by_side;
    cables += group.ports;
  }
  return {ports, cables};
}

void buy_cables(const std::vector<CableGroup>& groups, const PriceList& list, NetworkCost& cost) {
  Basket basket(list.cables.size());
  for (const CableGroup& group : groups) {
    Choice best;
    for (std::size_t i = 0; i < list.cables.size(); ++i) {
      const PricedCable& item = list.cables[i];
      if (item.most_length_m < group.length_m) continue;
      const std::int64_t count = needed_of(item.bandwidth_Bps, group.bandwidth_Bps);
      const double price = (item.price + item.price_per_m * group.length_m) * static_cast<double>(count);
      if (const Choice tried{i, count, price}; tried.is_better_than(best)) best = tried;
    }
    if (best.side_by_side == 0)
      reject("the price list \"{}\" has no cable of {:g} m, but the network needs {} of them ({})", list.name,
             group.length_m, group.cables, name_of(group.cable_class));
    basket.add(best, group.cables, list.cables[best.item].name, list.cables[best.item].power_W);
  }
  basket.move_to(cost);
}

}  // namespace

void describe(PricedPort& port, OptionVisitor& visitor) {
  visitor.line({.key = "name", .meaning = "name of the port in tables", .is_needed = true}, port.name);
  visitor.rate({.key = "bandwidth", .meaning = "bandwidth in each direction", .is_needed = true},
               port.bandwidth_Bps);
  visitor.number(
      {.key = "price", .meaning = "price per port, including its share of the device", .is_needed = true},
      port.price, amounts);
  visitor.number({.key = "power_W",
                  .meaning = "power draw per port in watts, including its share of the device",
                  .is_needed = true},
                 port.power_W, amounts);
}

void describe(PricedCable& cable, OptionVisitor& visitor) {
  visitor.line({.key = "name", .meaning = "name of the cable in tables", .is_needed = true}, cable.name);
  visitor.rate({.key = "bandwidth", .meaning = "bandwidth in each direction", .is_needed = true},
               cable.bandwidth_Bps);
  visitor.number({.key = "most_length_m",
                  .meaning = "greatest length at which the cable works, in meters",
                  .is_needed = true},
                 cable.most_length_m, amounts);
  visitor.number(
      {.key = "price", .meaning = "price including both ends, without `price_per_m`", .is_needed = true},
      cable.price, amounts);
  visitor.number({"price_per_m", "price of each meter of length, in addition to `price`"}, cable.price_per_m,
                 amounts);
  visitor.number({"power_W", "power draw of both ends together, in watts"}, cable.power_W, amounts);
}

void describe(PriceList& list, OptionVisitor& visitor) {
  visitor.line({.key = "name", .meaning = "name of the price list in tables", .is_needed = true}, list.name);
  visitor.text({.key = "source", .meaning = "where the prices come from, and when", .is_needed = true},
               list.source);
  visitor.line({"currency", "currency of all prices"}, list.currency);
  visitor.object({"floor_plan", "positions of hosts and switches, which determine the lengths of cables"},
                 list.floor_plan);
  visitor.integer(
      {"most_switch_ports", "largest number of ports of a switch; networks that need more cannot be bought",
       "any number"},
      list.most_switch_ports, {1});
  const auto needed = [](std::string_view key, std::string_view meaning) {
    return Option{.key = key, .meaning = meaning, .is_needed = true};
  };
  visitor.list(needed("network_cards", "one entry for each port bandwidth"), list.network_cards);
  visitor.list(needed("switch_ports", "one entry for each port bandwidth"), list.switch_ports);
  visitor.list(needed("cables", "copper and optical cables"), list.cables);
}

NetworkCost network_cost(const NetworkInventory& inventory, const PriceList& list) {
  NetworkCost cost;
  buy_ports(inventory.host_ports, list.network_cards, "network cards", list.name, cost);
  buy_ports(inventory.switch_ports, list.switch_ports, "switch ports", list.name, cost);
  buy_cables(inventory.cables, list, cost);
  return cost;
}

std::string missing_switch(const NetworkInventory& inventory, const PriceList& list) {
  if (!list.most_switch_ports) return "";
  std::int64_t needed = 0;
  std::int64_t cables = 0;
  for (const std::vector<PortGroup>& make : inventory.switch_makes) {
    const auto [ports, of_cables] = ports_needed_by(make, list);
    if (ports > needed) std::tie(needed, cables) = std::pair(ports, of_cables);
  }
  if (needed <= *list.most_switch_ports) return "";
  const std::string one =
      needed > cables ? fmt::format("{} for {} cables", needed, cables) : fmt::format("{}", needed);
  return fmt::format(
      "no switch of the price list \"{}\" has more than {} ports, but this network needs one with {}",
      list.name, *list.most_switch_ports, one);
}

NetworkCost network_cost(const Network& network, const PriceList& list) {
  return network_cost(network_inventory(network, list.floor_plan), list);
}

}  // namespace starling
