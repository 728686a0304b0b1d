#include "topologies/layouts/random_regular.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

RandomRegularOptions options_of(int switches, int degree, std::uint64_t seed = 1) {
  return {.ports = degree + 1,
          .hosts_per_switch = 1,
          .switches = switches,
          .seed = seed,
          .link = {.bandwidth_Bps = 1000e9, .latency_s = 0},
          .switch_link = test_link};
}

/// The pairs of switches that a cable joins.
std::vector<std::pair<int, int>> switch_cables(const Fabric& fabric) {
  std::vector<std::pair<int, int>> pairs;
  for (const Cable& cable : fabric.cables) {
    if (cable.from >= fabric.hosts) pairs.emplace_back(cable.from - fabric.hosts, cable.to - fabric.hosts);
  }
  return pairs;
}

TEST_CASE("every switch has its ports in use, at most one cable to another, and none to itself") {
  for (const auto& [switches, degree] :
       std::vector<std::pair<int, int>>{{2, 1}, {5, 4}, {6, 3}, {7, 3}, {8, 6}, {20, 3}, {50, 7}, {200, 6}}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      CAPTURE(switches);
      CAPTURE(degree);
      std::map<int, int> degrees;
      std::set<std::pair<int, int>> pairs;
      for (const auto& [from, to] :
           switch_cables(build_random_regular(switches, options_of(switches, degree, seed)))) {
        CHECK(from != to);
        CHECK(pairs.insert(std::minmax(from, to)).second);
        ++degrees[from];
        ++degrees[to];
      }
      CHECK(pairs.size() == static_cast<std::size_t>(switches * degree / 2));
      for (const auto& [vertex, count] : degrees) CHECK(count <= degree);
    }
  }
}

TEST_CASE("hosts fill switch after switch, and there are as many switches as they need") {
  const Network network =
      network_of(10, RandomRegularOptions{.ports = 6, .hosts_per_switch = 2, .link = test_link});
  CHECK(network.switches() == 5);
  CHECK(network.links().size() == 2 * (10 + 5 * 4 / 2));
  CHECK(route_text(network, 8, 9) == "host8 -> switch4, switch4 -> host9");
  // Four ports to other switches join each of five to all others.
  CHECK(network.diameter() == 3);
}

TEST_CASE("a random regular network has the diameter that theory gives") {
  const int switches = 200;
  const double degree = 6;
  const int diameter = network_of(switches, options_of(switches, 6)).diameter() - 2;
  // Moore's bound: at most 1 + d (1 + (d - 1) + (d - 1)^2 + …) vertices, which is 187 for 3 links. And
  // Bollobás and Fernandez de la Vega, "The diameter of random regular graphs", Combinatorica 2(2), 1982.
  CHECK(diameter > 3);
  CHECK(diameter <=
        1 + std::ceil(std::log(2 * degree * switches * std::log(switches)) / std::log(degree - 1)));
}

TEST_CASE("the bisection of a random regular network is at least what theory gives") {
  const int switches = 100;
  const double degree = 8;
  // Bollobás, "The isoperimetric number of random graphs", European J. Combinatorics 9(3), 1988, as in the
  // paper: N (d/4 - √(d ln 2)/2) links at least, for almost every graph.
  const double least = switches * (degree / 4 - std::sqrt(degree * std::log(2)) / 2);
  const double links =
      network_of(switches, options_of(switches, 8)).bisection_bandwidth_Bps() / test_link.bandwidth_Bps;
  CHECK(links >= least);
  // Each of the 400 cables crosses between halves with probability 1/2: 200, with a standard deviation of
  // √400/2 = 10, of which four are allowed.
  CHECK(links <= switches * degree / 2 * 0.6);
}

TEST_CASE("the cables follow from the seed, the same on every platform") {
  const auto cables = switch_cables(build_random_regular(20, options_of(20, 3, 7)));
  CHECK(cables == switch_cables(build_random_regular(20, options_of(20, 3, 7))));
  CHECK(cables != switch_cables(build_random_regular(20, options_of(20, 3, 8))));
  std::uint64_t sum = 0;
  for (const auto& [from, to] : cables) sum = sum * 31 + static_cast<std::uint64_t>(from * 20 + to);
  CHECK(sum == 6097576320377159164);
}

void check_rejected(int hosts, const RandomRegularOptions& options, const char* text) {
  CHECK_THROWS_WITH_AS(network_of(hosts, options), text, std::invalid_argument);
}

TEST_CASE("sizes of a random regular network that do not fit are refused") {
  check_rejected(8, {.ports = 4, .link = test_link},
                 "cluster: network: random_regular: hosts_per_switch is 0; it must be from 1 to 1024");
  check_rejected(8, {.ports = 2, .hosts_per_switch = 3, .link = test_link},
                 "cluster: network: random_regular: hosts_per_switch: more than the switch's ports, got 3, "
                 "expected at most 2");
  check_rejected(
      8, {.ports = 4, .hosts_per_switch = 2, .switches = 3, .link = test_link},
      "cluster: network: random_regular: switches: 8 hosts do not fit, got 3, expected at least 4");
  check_rejected(8, {.ports = 6, .hosts_per_switch = 2, .link = test_link},
                 "cluster: network: random_regular: ports: a switch has 4 ports to other switches, of which "
                 "there are 3, got 6, expected fewer ports, or more hosts per switch");
  check_rejected(8, {.ports = 2000, .hosts_per_switch = 2, .link = test_link},
                 "cluster: network: random_regular: ports is 2000; it must be from 1 to 1024");
  check_rejected(1 << 20, {.ports = 100, .hosts_per_switch = 2, .link = test_link},
                 "random_regular: this network has 26738688 cables; the most that can be built is 8388608");
  check_rejected(8, {.ports = 5, .hosts_per_switch = 2},
                 "cluster: network: random_regular: link: bandwidth is 0; it must be from 1 to 1e+18");
}

TEST_CASE("a network that no drawing connects is refused") {
  check_rejected(8, {.ports = 3, .hosts_per_switch = 2, .link = test_link},
                 "random_regular: none of 100 random networks of 4 switches with 1 ports to other switches "
                 "is connected; give switches more ports");
}

}  // namespace
}  // namespace starling
