#include "topologies/facts/price_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "base/reject.hpp"

namespace starling {
namespace {

constexpr Range amounts{.least = 0, .greatest = 1e12};
constexpr double most_pieces = 1e15;  // of one item; sums of several such numbers are still exact doubles

std::int64_t needed_of(double item_Bps, double needed_Bps) {
  // A bandwidth that is equal but for rounding is enough.
  return static_cast<std::int64_t>(std::ceil(needed_Bps / item_Bps * (1 - 1e-9)));
}

double price_of(const PricedCable& cable, double length_m) {
  return cable.price + cable.price_per_m * length_m;
}

/// The items of one link, which is made of several links side by side if there are none fast enough.
struct LinkParts {
  std::int64_t side_by_side = 0;
  std::size_t card = 0;         // without meaning if no end is at a host
  std::size_t switch_port = 0;  // likewise for switches
  std::size_t cable = 0;
  double price = std::numeric_limits<double>::infinity();  // of all; infinite: there are no such parts
};

/// The cheapest item that carries a link if `side_by_side` of them share it, and its price; an infinite price
/// if there is none.
template <typename Item, typename PriceOf>
std::pair<std::size_t, double> cheapest(const std::vector<Item>& items, double needed_Bps,
                                        std::int64_t side_by_side, const PriceOf& price_of_item) {
  std::pair<std::size_t, double> best(0, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (needed_of(items[i].bandwidth_Bps, needed_Bps) > side_by_side) continue;
    if (const double price = price_of_item(items[i]); price < best.second) best = {i, price};
  }
  return best;
}

/// The cheapest parts of a link that is made of so many links side by side.
LinkParts parts_of(const CableGroup& link, const PriceList& list, std::int64_t side_by_side) {
  const auto port_price = [](const PricedPort& port) { return port.price; };
  const auto cable_price = [&](const PricedCable& cable) {
    return cable.most_length_m < link.length_m ? std::numeric_limits<double>::infinity()
                                               : price_of(cable, link.length_m);
  };
  LinkParts parts{.side_by_side = side_by_side};
  double each = 0;
  if (link.host_ends > 0) {
    const auto [card, price] = cheapest(list.network_cards, link.bandwidth_Bps, side_by_side, port_price);
    parts.card = card;
    each += link.host_ends * price;
  }
  if (link.switch_ends() > 0) {
    const auto [port, price] = cheapest(list.switch_ports, link.bandwidth_Bps, side_by_side, port_price);
    parts.switch_port = port;
    each += link.switch_ends() * price;
  }
  const auto [cable, price] = cheapest(list.cables, link.bandwidth_Bps, side_by_side, cable_price);
  parts.cable = cable;
  parts.price = (each + price) * static_cast<double>(side_by_side);
  return parts;
}

/// The parts of a link: one of each if there are any so fast; else the cheapest number of links side by side,
/// or the least of equally cheap ones. The price is infinite if a part is not on the list.
LinkParts cheapest_parts(const CableGroup& link, const PriceList& list) {
  LinkParts best = parts_of(link, list, 1);
  if (std::isfinite(best.price)) return best;
  std::set<std::int64_t> numbers;
  const auto add_numbers = [&](const auto& items) {
    for (const auto& item : items) numbers.insert(needed_of(item.bandwidth_Bps, link.bandwidth_Bps));
  };
  add_numbers(list.network_cards);
  add_numbers(list.switch_ports);
  add_numbers(list.cables);
  for (const std::int64_t side_by_side : numbers)
    if (const LinkParts tried = parts_of(link, list, side_by_side); tried.price < best.price) best = tried;
  return best;
}

/// Adds up the pieces bought of each item of a list.
template <typename Item>
class Basket {
 public:
  explicit Basket(const std::vector<Item>& items) : items_(items), lines_(items.size()) {}

  /// Buys `count` times as many pieces as are used side by side, each at `price`.
  void add(std::size_t item, std::int64_t count, std::int64_t side_by_side, double price) {
    if (static_cast<double>(count) * static_cast<double>(side_by_side) > most_pieces)
      reject("the price list has only \"{}\" for links that need {} of them in parallel", items_[item].name,
             side_by_side);
    const std::int64_t pieces = count * side_by_side;
    CostLine& line = lines_[item];
    line.item = items_[item].name;
    line.count += pieces;
    line.price += price * static_cast<double>(pieces);
    line.power_W += items_[item].power_W * static_cast<double>(pieces);
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
  const std::vector<Item>& items_;
  std::vector<CostLine> lines_;
};

/// Refuses a list that has no card, no switch port or no cable of the length for some link.
void require_parts(const NetworkInventory& inventory, const PriceList& list) {
  const auto require_ports = [&](const auto& items, std::string_view what, const auto& ends_of) {
    double least_Bps = std::numeric_limits<double>::infinity();
    for (const CableGroup& group : inventory.cables)
      if (ends_of(group) > 0) least_Bps = std::min(least_Bps, group.bandwidth_Bps);
    if (items.empty() && std::isfinite(least_Bps))
      reject("the price list \"{}\" has no {}, but the network needs some of {:g} Gbps", list.name, what,
             least_Bps * 8e-9);
  };
  require_ports(list.network_cards, "network cards", [](const CableGroup& group) { return group.host_ends; });
  require_ports(list.switch_ports, "switch ports",
                [](const CableGroup& group) { return group.switch_ends(); });
  for (const CableGroup& group : inventory.cables)
    if (std::ranges::none_of(list.cables,
                             [&](const PricedCable& cable) { return cable.most_length_m >= group.length_m; }))
      reject("the price list \"{}\" has no cable of {:g} m, but the network needs {} of them ({})", list.name,
             group.length_m, group.cables, name_of(group.cable_class));
}

/// The number of ports that a switch needs, and of cables that it has: a cable may need several ports of the
/// list.
std::pair<std::int64_t, std::int64_t> ports_needed_by(const std::vector<CableGroup>& make,
                                                      const PriceList& list) {
  std::int64_t ports = 0;
  std::int64_t cables = 0;
  for (const CableGroup& group : make) {
    ports += group.cables * cheapest_parts(group, list).side_by_side;
    cables += group.cables;
  }
  return {ports, cables};
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
  require_parts(inventory, list);
  Basket cards(list.network_cards);
  Basket switch_ports(list.switch_ports);
  Basket cables(list.cables);
  for (const CableGroup& group : inventory.cables) {
    const LinkParts parts = cheapest_parts(group, list);
    if (group.host_ends > 0)
      cards.add(parts.card, group.cables * group.host_ends, parts.side_by_side,
                list.network_cards[parts.card].price);
    if (group.switch_ends() > 0)
      switch_ports.add(parts.switch_port, group.cables * group.switch_ends(), parts.side_by_side,
                       list.switch_ports[parts.switch_port].price);
    cables.add(parts.cable, group.cables, parts.side_by_side,
               price_of(list.cables[parts.cable], group.length_m));
  }
  NetworkCost cost;
  cards.move_to(cost);
  switch_ports.move_to(cost);
  cables.move_to(cost);
  return cost;
}

std::string missing_switch(const NetworkInventory& inventory, const PriceList& list) {
  if (!list.most_switch_ports) return "";
  std::int64_t needed = 0;
  std::int64_t cables = 0;
  for (const std::vector<CableGroup>& make : inventory.switch_makes) {
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
