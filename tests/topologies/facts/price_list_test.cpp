#include "topologies/facts/price_list.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/options/option_check.hpp"
#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

constexpr double Gbps = 1e9 / 8;

PriceList small_list() {
  return {.name = "small",
          .source = "made up",
          .floor_plan = {.hosts_per_rack = 4, .racks_per_row = 2},
          .network_cards = {{"card 10", 10 * Gbps, 100, 5}, {"card 100", 100 * Gbps, 600, 16}},
          .switch_ports = {{"port 100", 100 * Gbps, 300, 5}},
          .cables = {{"copper", 100 * Gbps, 3, 50, 10, 0.5}, {"glass", 100 * Gbps, 100, 200, 1, 7}}};
}

ClusterOptions leaf_spine(int hosts) {
  return cluster_of(hosts, LeafSpineOptions{.hosts_per_leaf = 4, .spines = 2, .link = {12.5e9, 1e-6}});
}

TEST_CASE("switches and cables of an inventory are counted by kind and by where they lead") {
  const NetworkInventory inventory =
      network_inventory(build_network(leaf_spine(12)), small_list().floor_plan);
  CHECK(inventory.hosts == 12);
  REQUIRE(inventory.switches.size() == 2);
  CHECK(inventory.switches[0].name == "leaf");
  CHECK(inventory.switches[0].switches == 3);
  CHECK(inventory.switches[0].ports == 3 * (4 + 2));
  CHECK(inventory.switches[1].name == "spine");
  CHECK(inventory.switches[1].most_ports == 3);
  CHECK(inventory.number_of_cables() == 12 + 6);
  // The spines stand in the middle rack, 1, as does its leaf; the leaf of rack 0 is a place away, that of
  // rack 2 a row.
  REQUIRE(inventory.cables.size() == 4);
  CHECK(inventory.cables[0].cable_class == CableClass::within_rack);
  CHECK(inventory.cables[0].cables == 12);
  CHECK(inventory.cables[1].cables == 2);
  CHECK(inventory.cables[2].cable_class == CableClass::within_row);
  CHECK(inventory.cables[2].length_m == about(4.6));
  CHECK(inventory.cables[3].cable_class == CableClass::between_rows);
  CHECK(inventory.cables[3].length_m == about(4 + 3 + 0.6));
}

TEST_CASE("an inventory counts switches of all rails and blocks of hosts as one kind") {
  ClusterOptions cluster =
      cluster_of(8, RailOptions{.link = {12.5e9, 1e-6}, .hosts_per_switch = 2, .spines = 2});
  cluster.workers_per_host = cluster.nics_per_host = 2;
  cluster.intra_host_link = {12.5e9, 1e-6};
  const NetworkInventory inventory = network_inventory(build_network(cluster));
  REQUIRE(inventory.switches.size() == 2);
  CHECK(inventory.switches[0].name == "rail");
  CHECK(inventory.switches[0].switches == 2 * 2);
  CHECK(inventory.switches[0].ports == 2 * 2 * (2 + 2));
  CHECK(inventory.switches[1].name == "spine");
}

TEST_CASE("the price and power of a network are the sums over its parts") {
  const NetworkCost star =
      network_cost(build_network(cluster_of(4, StarOptions{.link = {12.5e9, 1e-6}})), small_list());
  // A card, a port and a copper cable of 2 m for each host.
  CHECK(star.price == about(4 * (600 + 300 + 50 + 2 * 10)));
  CHECK(star.power_W == about(4 * (16 + 5 + 0.5)));
  REQUIRE(star.lines.size() == 3);
  CHECK(star.lines[0].item == "card 100");
  CHECK(star.lines[2].item == "copper");
  CHECK(star.lines[2].count == 4);
}

TEST_CASE("the cheapest part that is fast enough is taken, or the cheapest set of several side by side") {
  const auto cards_of = [](double Gbps_of_link) {
    return network_cost(build_network(cluster_of(2, StarOptions{.link = {Gbps_of_link * Gbps, 0}})),
                        small_list())
        .lines.front();
  };
  CHECK(cards_of(10).item == "card 10");
  CHECK(cards_of(40).item == "card 100");  // though four of the others are cheaper
  CHECK(cards_of(40).count == 2);
  CHECK(cards_of(150).item == "card 100");  // of which two are cheaper than fifteen of the others
  CHECK(cards_of(250).count == 2 * 3);
}

TEST_CASE("parts side by side multiply price and power, cables and ports alike") {
  const NetworkCost star =
      network_cost(build_network(cluster_of(4, StarOptions{.link = {250 * Gbps, 1e-6}})), small_list());
  CHECK(star.price == about(4 * 3 * (600 + 300 + 50 + 2 * 10)));
  CHECK(star.power_W == about(4 * 3 * (16 + 5 + 0.5)));
}

/// Parts of 200 and 400 Gb/s; 600 Gb/s take three links or two.
PriceList fast_list() {
  PriceList list = small_list();
  list.network_cards = {{"card 200", 200 * Gbps, 900, 20}, {"card 400", 400 * Gbps, 1600, 25}};
  list.switch_ports = {{"port 200", 200 * Gbps, 500, 8}, {"port 400", 400 * Gbps, 650, 12}};
  list.cables = {{"cable 200", 200 * Gbps, 100, 160}, {"cable 400", 400 * Gbps, 100, 260}};
  return list;
}

/// The items bought for a star of 24 hosts, of each 24 for one link side by side.
std::vector<CostLine> parts_of_star(double link_Gbps, const PriceList& list) {
  return network_cost(build_network(cluster_of(24, StarOptions{.link = {link_Gbps * Gbps, 1e-6}})), list)
      .lines;
}

void check_parts(const std::vector<CostLine>& lines, const std::vector<std::string>& items,
                 std::int64_t side_by_side) {
  REQUIRE(lines.size() == items.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i].item == items[i]);
    CHECK(lines[i].count == 24 * side_by_side);
  }
}

TEST_CASE("a link that no part is fast enough for is several links side by side, each with all its parts") {
  PriceList list = fast_list();
  // Three times 900 + 500 + 160 are less than twice 1600 + 650 + 260.
  check_parts(parts_of_star(600, list), {"card 200", "port 200", "cable 200"}, 3);
  list.network_cards[1].price = 1400;
  check_parts(parts_of_star(600, list), {"card 400", "port 400", "cable 400"}, 2);
  // 2 · (1430 + 650 + 260) = 3 · (900 + 500 + 160): the fewer.
  list.network_cards[1].price = 1430;
  check_parts(parts_of_star(600, list), {"card 400", "port 400", "cable 400"}, 2);
  check_parts(parts_of_star(200, list), {"card 200", "port 200", "cable 200"}, 1);
}

TEST_CASE("a slow cable makes several links of one that its ports would carry alone") {
  PriceList list = fast_list();
  list.cables.pop_back();
  check_parts(parts_of_star(400, list), {"card 200", "port 200", "cable 200"}, 2);
  list.network_cards.erase(list.network_cards.begin());
  list.switch_ports.erase(list.switch_ports.begin());
  check_parts(parts_of_star(400, list), {"card 400", "port 400", "cable 200"}, 2);
}

TEST_CASE("a switch needs as many ports as its links have cables side by side") {
  PriceList list = fast_list();
  list.cables.pop_back();
  list.most_switch_ports = 24;
  const NetworkInventory star =
      network_inventory(build_network(cluster_of(24, StarOptions{.link = {400 * Gbps, 1e-6}})));
  CHECK(
      missing_switch(star, list) ==
      "no switch of the price list \"small\" has more than 24 ports, but this network needs one with 48 for "
      "24 cables");
}

TEST_CASE("a cable is taken up to the length to which it works") {
  PriceList list = small_list();
  const Network star = build_network(cluster_of(4, StarOptions{.link = {12.5e9, 1e-6}}));
  list.cables[0].most_length_m = list.floor_plan.within_rack_m;
  CHECK(network_cost(star, list).lines.back().item == "copper");
  list.cables[0].most_length_m -= 0.01;
  CHECK(network_cost(star, list).lines.back().item == "glass");
}

TEST_CASE("the length of a cable between rows includes the places between its racks along the rows") {
  // Four racks in rows of two; the spines stand in rack 2.
  const NetworkInventory inventory =
      network_inventory(build_network(leaf_spine(16)), small_list().floor_plan);
  REQUIRE(inventory.cables.size() == 5);
  CHECK(inventory.cables[2].length_m == about(4.6));          // from rack 3
  CHECK(inventory.cables[3].length_m == about(4 + 3));        // from rack 0, opposite
  CHECK(inventory.cables[4].length_m == about(4 + 3 + 0.6));  // from rack 1
}

TEST_CASE("a cable and its ports are those of its quicker direction") {
  for (const char* slow : {"host0 -> switch0", "switch0 -> host0"}) {
    CAPTURE(slow);
    ClusterOptions cluster = cluster_of(2, StarOptions{.link = {100 * Gbps, 1e-6}});
    cluster.network.overrides = {{.link = slow, .bandwidth_Bps = 10 * Gbps}};
    const NetworkInventory inventory = network_inventory(build_network(cluster));
    REQUIRE(inventory.cables.size() == 1);
    CHECK(inventory.cables[0].bandwidth_Bps == 100 * Gbps);
    CHECK(inventory.cables[0].host_ends == 1);
    REQUIRE(inventory.switch_makes.size() == 1);
    REQUIRE(inventory.switch_makes[0].size() == 1);
    CHECK(inventory.switch_makes[0][0].bandwidth_Bps == 100 * Gbps);
  }
}

TEST_CASE("more parts side by side than can be counted are refused") {
  PriceList list = small_list();
  for (PricedPort& card : list.network_cards) card.bandwidth_Bps = 1;
  CHECK_THROWS_WITH_AS(
      network_cost(build_network(cluster_of(20, StarOptions{.link = {1e18, 1e-6}})), list),
      "the price list has only \"card 10\" for links that need 999999999000000000 of them in parallel",
      std::invalid_argument);
}

/// Three leaves of four hosts, each with two cables of that bandwidth to spines.
NetworkInventory leaves_with_uplinks_of(double uplink_Gbps) {
  const LeafSpineOptions options{.hosts_per_leaf = 4,
                                 .spines = 2,
                                 .link = {100 * Gbps, 1e-6},
                                 .spine_link = LinkOptions{uplink_Gbps * Gbps, 1e-6}};
  return network_inventory(build_network(cluster_of(12, options)), small_list().floor_plan);
}

TEST_CASE("a network that needs a switch with more ports than any on the list is reported") {
  PriceList list = small_list();
  const NetworkInventory inventory = leaves_with_uplinks_of(100);
  CHECK(missing_switch(inventory, list).empty());
  list.most_switch_ports = 4 + 2;
  CHECK(missing_switch(inventory, list).empty());
  list.most_switch_ports = 5;
  CHECK(missing_switch(inventory, list) ==
        "no switch of the price list \"small\" has more than 5 ports, but this network needs one with 6");
}

TEST_CASE("a cable faster than any port takes several ports of its switch") {
  PriceList list = small_list();
  const NetworkInventory inventory = leaves_with_uplinks_of(250);
  list.most_switch_ports = 4 + 2 * 3;
  CHECK(missing_switch(inventory, list).empty());
  list.most_switch_ports = 4 + 2 * 3 - 1;
  CHECK(missing_switch(inventory, list) ==
        "no switch of the price list \"small\" has more than 9 ports, but this network needs one with 10 for "
        "6 cables");
}

TEST_CASE("names and currency of a price list must be on one line") {
  const auto check = [](PriceList list) {
    check_options("price list", [&](OptionVisitor& visitor) { describe(list, visitor); });
  };
  CHECK_NOTHROW(check(small_list()));
  for (const auto& spoil : std::vector<std::function<void(PriceList&)>>{
           [](PriceList& list) { list.currency = "US\nD"; }, [](PriceList& list) { list.name = "a\x1b"; },
           [](PriceList& list) { list.network_cards[0].name = "a\tb"; },
           [](PriceList& list) { list.cables[0].name = "a\x7f"; }}) {
    PriceList list = small_list();
    spoil(list);
    CHECK_THROWS_AS(check(list), std::invalid_argument);
  }
}

TEST_CASE("a price list without a needed part is refused") {
  const Network network = build_network(leaf_spine(12));
  PriceList list = small_list();
  list.cables.pop_back();
  CHECK_THROWS_WITH_AS(
      network_cost(network, list),
      "the price list \"small\" has no cable of 4.6 m, but the network needs 2 of them (within a row)",
      std::invalid_argument);
  list = small_list();
  list.switch_ports.clear();
  CHECK_THROWS_WITH_AS(network_cost(network, list),
                       "the price list \"small\" has no switch ports, but the network needs some of 100 Gbps",
                       std::invalid_argument);
  // Hosts joined directly need no switch.
  CHECK_NOTHROW(network_cost(build_network(cluster_of(4, RingOptions{.link = test_link})), list));
}

TEST_CASE("in every kind of network switches have as many ports as cables have ends at them") {
  for (const auto& [name, cluster] : clusters_of_every_kind()) {
    CAPTURE(name);
    const NetworkInventory inventory = network_inventory(build_network(cluster));
    std::int64_t ports = 0;
    for (const SwitchGroup& group : inventory.switches) ports += group.ports;
    std::int64_t ends = 0;
    for (const CableGroup& group : inventory.cables) ends += group.cables * group.switch_ends();
    CHECK(ports == ends);
  }
}

}  // namespace
}  // namespace starling
