#include "topologies/networks/network.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "base/errors.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"
#include "topologies/networks/build_fabric.hpp"

namespace starling {
namespace {

ClusterOptions hosts_of_four(int workers) {
  return {.workers = workers,
          .workers_per_host = 4,
          .network = {.kind = StarOptions{.link = test_link}},
          .intra_host_link = LinkOptions{.bandwidth_Bps = 16e9, .latency_s = 3e-6}};
}

bool is_connected_route(const Network& network, Rank source, Rank destination) {
  int vertex = network.host_of(source) == network.host_of(destination) ? network.worker_vertex(source)
                                                                       : network.host_of(source);
  for (const LinkIndex index : network.route(source, destination)) {
    if (link_at(network, index).from_vertex != vertex) return false;
    vertex = link_at(network, index).to_vertex;
  }
  return vertex == (network.host_of(source) == network.host_of(destination)
                        ? network.worker_vertex(destination)
                        : network.host_of(destination));
}

std::vector<std::string> all_routes(const Network& network) {
  std::vector<std::string> routes;
  for (Rank source = 0; source < network.workers(); ++source) {
    for (Rank destination = 0; destination < network.workers(); ++destination) {
      if (source != destination) routes.push_back(route_text(network, source, destination));
    }
  }
  return routes;
}

TEST_CASE(
    "jitter makes latencies longer and shorter, by its share at most, and none of less than a nanosecond") {
  constexpr double share = 0.01;
  Network network = network_of(64, StarOptions{.link = test_link});
  network.jitter_latencies({.share = share, .seed = 3});
  double sum = 0;
  double least = 1;
  double greatest = 1;
  for (const Link& link : network.links()) {
    const double times = link.latency_s / test_link.latency_s;
    sum += times;
    least = std::min(least, times);
    greatest = std::max(greatest, times);
  }
  CHECK(least >= 1 - share);
  CHECK(least < 1 - 0.8 * share);
  CHECK(greatest <= 1 + share);
  CHECK(greatest > 1 + 0.8 * share);
  // Five standard errors of 128 numbers that are uniform.
  CHECK(std::abs(sum / 128 - 1) < 5 * share / std::sqrt(3.0 * 128));

  Network without_latency =
      network_of(64, StarOptions{.link = {.bandwidth_Bps = test_link.bandwidth_Bps, .latency_s = 0}});
  without_latency.jitter_latencies({.share = share, .seed = 3});
  for (const Link& link : without_latency.links()) {
    CHECK(link.latency_s > 0);
    CHECK(link.latency_s <= share * 1e-9);
  }
}

TEST_CASE("ranks of a host are consecutive, and the last host may hold fewer") {
  const Network network = build_network(hosts_of_four(10));
  CHECK(network.workers() == 10);
  CHECK(network.hosts() == 3);
  CHECK(network.host_of(0) == 0);
  CHECK(network.host_of(3) == 0);
  CHECK(network.host_of(4) == 1);
  CHECK(network.host_of(9) == 2);
}

TEST_CASE(
    "host costs take bandwidth from every link between hosts, and latency once a message over a switch") {
  Network network = build_network(hosts_of_four(8));
  const double bandwidth_Bps = network.bandwidth_Bps(0, 4);
  const double alpha_s = network.alpha_s(0, 4);
  network.add_host_costs({.goodput = 0.5, .latency_s = 1e-3});
  CHECK(network.bandwidth_Bps(0, 4) == bandwidth_Bps / 2);
  CHECK(network.alpha_s(0, 4) == about(alpha_s + 1e-3));
  CHECK(network.bandwidth_Bps(0, 1) == 16e9);
  CHECK(network.alpha_s(0, 1) == 3e-6);
}

TEST_CASE("hosts move no more over their cables than they can, switches what theirs take") {
  ClusterOptions cluster = hosts_of_four(16);
  cluster.network.kind =
      LeafSpineOptions{.hosts_per_leaf = 2, .spines = 1, .link = {.bandwidth_Bps = 10e9, .latency_s = 1e-6}};
  Network network = build_network(cluster);
  const double spine_Bps = 20e9;
  network.add_host_costs({.goodput = 0.9, .rate_Bps = 4e9});
  CHECK(network.bandwidth_Bps(0, 4) == 4e9);
  for (const Link& link : network.links()) {
    CAPTURE(link.name);
    const bool is_at_host = link.name.find("host") != std::string::npos;
    const bool is_inside = link.name.find("worker") != std::string::npos;
    if (!is_inside) CHECK(link.bandwidth_Bps == about(is_at_host ? 4e9 : 0.9 * spine_Bps));
  }
  Network slower = build_network(cluster);
  slower.add_host_costs({.goodput = 0.9, .rate_Bps = 9.5e9});
  CHECK(slower.bandwidth_Bps(0, 4) == 9e9);
}

TEST_CASE("vertices are hosts, then switches, then the workers of hosts that hold several") {
  const Network network = build_network(hosts_of_four(6));
  REQUIRE(network.vertices().size() == 2 + 1 + 6);
  CHECK(network.vertices()[1].name == "host1");
  CHECK(network.vertices()[1].kind == VertexKind::host);
  CHECK(network.vertices()[2].name == "switch0");
  CHECK(network.vertices()[2].kind == VertexKind::network_switch);
  CHECK(network.vertices()[8].name == "worker5");
  CHECK(network.vertices()[8].kind == VertexKind::worker);
  CHECK(network.worker_vertex(5) == 8);
  CHECK(network_of(3, StarOptions{.link = test_link}).worker_vertex(2) == 2);
}

TEST_CASE("two hosts of a star are two links apart, and their latency is twice the link's") {
  const Network network = network_of(4, StarOptions{.link = test_link});
  CHECK(route_text(network, 3, 1) == "host3 -> switch0, switch0 -> host1");
  CHECK(network.alpha_s(3, 1) == 2e-6);
  CHECK(network.bandwidth_Bps(3, 1) == 10e9);
}

TEST_CASE("workers of a host meet over their ports and pay the intra-host latency once") {
  const Network network = build_network(hosts_of_four(6));
  CHECK(route_text(network, 4, 5) == "worker4 -> host1, host1 -> worker5");
  CHECK(network.alpha_s(4, 5) == 3e-6);
  CHECK(network.bandwidth_Bps(4, 5) == 16e9);
}

TEST_CASE("workers of a host share its network links, which do not lead over the ports") {
  const Network network = build_network(hosts_of_four(6));
  CHECK(route_text(network, 2, 5) == "host0 -> switch0, switch0 -> host1");
  CHECK(network.route(2, 5).data() == network.route(1, 4).data());
}

TEST_CASE("every route leads link by link from its source to its destination and visits no vertex twice") {
  for (auto [name, options] : clusters_of_every_kind()) {
    for (const int workers_per_host : {1, 3}) {
      CAPTURE(name);
      options.workers_per_host = workers_per_host;
      options.workers *= workers_per_host;
      options.intra_host_link = test_link;
      const Network network = build_network(options);
      for (Rank source = 0; source < network.workers(); ++source) {
        for (Rank destination = 0; destination < network.workers(); ++destination) {
          if (source == destination) continue;
          REQUIRE(is_connected_route(network, source, destination));
          std::set<int> visited;
          for (const LinkIndex index : network.route(source, destination)) {
            REQUIRE(visited.insert(link_at(network, index).from_vertex).second);
          }
        }
      }
    }
  }
}

/// The routes of all pairs of workers as indices of links, as the switches of a graph have other names.
std::vector<std::vector<LinkIndex>> route_links(const Network& network) {
  std::vector<std::vector<LinkIndex>> routes;
  for (Rank source = 0; source < network.workers(); ++source) {
    for (Rank destination = 0; destination < network.workers(); ++destination) {
      if (source == destination) continue;
      const auto route = network.route(source, destination);
      routes.emplace_back(route.begin(), route.end());
    }
  }
  return routes;
}

/// The network cable by cable, so that its paths have to be searched.
GraphOptions same_cables(const ClusterOptions& options) {
  const Fabric fabric = build_fabric(options.workers, options.network.kind);
  GraphOptions graph{.switches = static_cast<int>(fabric.vertices.size()) - fabric.hosts};
  for (const Cable& cable : fabric.cables) graph.cables.push_back({cable.from, cable.to, cable.link});
  return graph;
}

TEST_CASE("routes in closed form are those that a search finds, for every kind and choice of path") {
  for (auto [name, options] : clusters_of_every_kind()) {
    // Its minimal routes have one global link, where two without a local one may be shorter.
    if (std::holds_alternative<DragonflyOptions>(options.network.kind)) continue;
    for (const PathChoice choice : {PathChoice::hash, PathChoice::destination}) {
      CAPTURE(name);
      options.network.path_choice = choice;
      const Network closed = build_network(options);
      options.network.kind = same_cables(options);
      const Network searched = build_network(options);
      CHECK(route_links(closed) == route_links(searched));
      CHECK(closed.diameter() == searched.diameter());
    }
  }
}

TEST_CASE("where workers choose, those of a host share its ports evenly, and each keeps to one") {
  ClusterOptions options = hosts_of_four(8);
  const std::vector<FatTreeLevel> two_ports = {{.down = 2, .up = 1, .parallel = 2}};
  options.network = {.kind = FatTreeOptions{.levels = two_ports, .link = test_link},
                     .path_choice = PathChoice::worker};
  const Network network = build_network(options);
  const auto port = [&](Rank source, Rank destination) {
    return link_at(network, network.route(source, destination).front()).name;
  };
  const auto port_in = [&](Rank source, Rank destination) {
    return link_at(network, network.route(source, destination).back()).name;
  };
  CHECK(port(0, 4) != port(1, 5));
  CHECK(port(0, 4) == port(2, 6));
  CHECK(port(0, 4) == port(0, 5));
  CHECK(port_in(0, 4) != port_in(1, 5));
  CHECK(port_in(0, 4) == port_in(3, 4));
}

TEST_CASE("every seed of the hash is another draw of the paths, and 0 the usual one") {
  ClusterOptions options = cluster_of(
      16, LeafSpineOptions{.hosts_per_leaf = 8, .spines = 4, .link = test_link, .oversubscription = 1});
  const auto routes_by = [&](std::optional<std::uint64_t> seed) {
    options.network.hash_seed = seed;
    return route_links(build_network(options));
  };
  const auto usual = routes_by({});
  CHECK(routes_by(0) == usual);
  CHECK(routes_by(1) != usual);
  CHECK(routes_by(1) == routes_by(1));
  // Each of 400 seeds takes one of four spines with equal probability: 100 with a standard deviation of 8.7.
  std::map<LinkIndex, int> first_hops;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    options.network.hash_seed = seed;
    const Network network = build_network(options);
    ++first_hops[network.route(0, 15)[1]];
  }
  CHECK(first_hops.size() == 4);
  for (const auto& [link, times] : first_hops) CHECK(std::abs(times - 100) < 4 * 8.7);
}

/// How many routes from rank r to rank r + distance, of all r, the busiest link between hosts is on.
int most_routes_on_a_link(const Network& network, int distance) {
  std::map<LinkIndex, int> routes;
  for (Rank rank = 0; rank < network.workers(); ++rank)
    for (const LinkIndex link : network.route(rank, (rank + distance) % network.workers())) ++routes[link];
  return std::ranges::max_element(routes, {}, [](const auto& route) { return route.second; })->second;
}

TEST_CASE("by digits of the destination no two messages of a shift meet in trees with full bisection") {
  const std::vector<std::vector<FatTreeLevel>> trees = {{{4, 1}, {4, 4}},
                                                        {{4, 1}, {4, 1, 4}},
                                                        {{4, 1}, {4, 2, 2}},
                                                        {{2, 1}, {2, 1, 2}, {2, 2, 2}},
                                                        {{2, 2}, {3, 2, 2}, {2, 3, 4}}};
  for (const std::vector<FatTreeLevel>& levels : trees) {
    int hosts = 1;
    for (const FatTreeLevel& level : levels) hosts *= level.down;
    ClusterOptions options = cluster_of(hosts, FatTreeOptions{.levels = levels, .link = test_link});
    options.network.path_choice = PathChoice::destination;
    const Network network = build_network(options);
    for (int distance = 1; distance < hosts; ++distance) {
      CAPTURE(hosts);
      CAPTURE(distance);
      CHECK(most_routes_on_a_link(network, distance) == 1);
    }
  }
}

TEST_CASE("where workers choose, hosts of several ports use all that a tree has") {
  ClusterOptions options = hosts_of_four(16);
  const std::vector<FatTreeLevel> levels = {{2, 1, 4}, {2, 8}};
  options.network = {.kind = FatTreeOptions{.levels = levels, .link = test_link},
                     .path_choice = PathChoice::worker};
  const Network network = build_network(options);
  for (const int distance : {4, 8, 12}) CHECK(most_routes_on_a_link(network, distance) == 1);
}

TEST_CASE("a worker's port is that of its place in the host, wherever its rank is") {
  ClusterOptions options = hosts_of_four(16);
  const std::vector<FatTreeLevel> four_ports = {{.down = 4, .up = 1, .parallel = 4}};
  options.network = {.kind = FatTreeOptions{.levels = four_ports, .link = test_link},
                     .path_choice = PathChoice::worker};
  options.placement.name = "round_robin";
  const Network network = build_network(options);
  std::set<LinkIndex> ports_out;
  std::set<LinkIndex> ports_in;
  for (const Rank rank : {0, 4, 8, 12}) {  // all on host 0
    ports_out.insert(network.route(rank, rank + 1).front());
    ports_in.insert(network.route(rank + 1, rank).back());
  }
  CHECK(ports_out.size() == 4);
  CHECK(ports_in.size() == 4);
}

TEST_CASE("on rails, where workers choose, messages take all spines") {
  ClusterOptions options = hosts_of_four(32);
  options.nics_per_host = 4;
  options.network = {.kind = RailOptions{.link = test_link, .hosts_per_switch = 4, .spines = 4},
                     .path_choice = PathChoice::worker};
  const Network network = build_network(options);
  std::set<LinkIndex> used;
  for (Rank source = 0; source < 32; ++source)
    for (Rank destination = 0; destination < 32; ++destination)
      if (network.host_of(source) != network.host_of(destination))
        for (const LinkIndex link : network.route(source, destination)) used.insert(link);
  const auto is_between_switches = [&](const Link& link) {
    const auto is_switch = [&](int vertex) {
      return network.vertices()[static_cast<std::size_t>(vertex)].kind == VertexKind::network_switch;
    };
    return is_switch(link.from_vertex) && is_switch(link.to_vertex);
  };
  for (std::size_t i = 0; i < network.links().size(); ++i)
    if (is_between_switches(network.links()[i])) CHECK(used.contains(static_cast<LinkIndex>(i)));
}

TEST_CASE("what two workers of the same hosts send is hashed by itself, where there is a choice") {
  ClusterOptions options = hosts_of_four(8);
  const std::vector<FatTreeLevel> two_ports = {{.down = 2, .up = 1, .parallel = 2}};
  options.network = {.kind = FatTreeOptions{.levels = two_ports, .link = test_link}};
  const Network network = build_network(options);
  std::set<std::string> ports;
  for (Rank source = 0; source < 4; ++source)
    for (Rank destination = 4; destination < 8; ++destination)
      ports.insert(link_at(network, network.route(source, destination).front()).name);
  CHECK(ports.size() == 2);
  CHECK(network.next_links(0, 4, 0) == 2);
  options.network.path_choice = PathChoice::destination;
  const Network by_destination = build_network(options);
  CHECK(route_text(by_destination, 0, 4) == route_text(by_destination, 1, 5));
}

TEST_CASE("switches that no cable connects to hosts change no route") {
  const ScratchFolder folder;
  const auto routes_beside = [&](const std::string& nodes, const std::string& links) {
    ClusterOptions options = hosts_of_four(8);
    const auto file = folder.write(
        "net.json",
        R"({"multigraph": true, "nodes": [{"id": "a", "kind": "host"}, {"id": "b", "kind": "host"})" + nodes +
            R"(], "links": [
            {"source": "a", "target": "b", "key": 0, "bandwidth": "1Gbps", "latency": "1us"},
            {"source": "a", "target": "b", "key": 1, "bandwidth": "1Gbps", "latency": "1us"})" +
            links + "]}");
    options.network = {.kind = FileNetworkOptions{.path = file.string()}};
    return all_routes(build_network(options));
  };
  const std::vector<std::string> routes = routes_beside("", "");
  CHECK(std::ranges::count(routes, "a -> b") > 0);
  CHECK(std::ranges::count(routes, "a -> b #2") > 0);
  // As many cables as a tree of all vertices has: two, and then three, one of them between switches.
  const std::string s = R"(, {"id": "s", "kind": "switch"})";
  CHECK(routes_beside(s, "") == routes);
  CHECK(routes_beside(
            s + R"(, {"id": "t", "kind": "switch"})",
            R"(, {"source": "s", "target": "t", "key": 0, "bandwidth": "1Gbps", "latency": "1us"})") ==
        routes);
}

TEST_CASE("hosts with one worker each are hashed by their numbers, wherever their ranks are") {
  ClusterOptions options{.workers = 16, .network = {.kind = FatTreeOptions{.k = 4, .link = test_link}}};
  const Network in_order = build_network(options);
  options.placement.name = "random";
  const Network placed = build_network(options);
  for (Rank a = 0; a < 16; ++a)
    for (Rank b = 0; b < 16; ++b)
      if (a != b)
        CHECK(route_text(placed, a, b) == route_text(in_order, placed.host_of(a), placed.host_of(b)));
}

TEST_CASE("the diameter is the length of the longest route between hosts") {
  for (const auto& [name, options] : clusters_of_every_kind()) {
    CAPTURE(name);
    const Network network = build_network(options);
    int longest = 0;
    for (Rank source = 0; source < network.workers(); ++source) {
      for (Rank destination = 0; destination < network.workers(); ++destination) {
        if (source != destination) longest = std::max(longest, length(network, source, destination));
      }
    }
    CHECK(network.diameter() == longest);
  }
}

TEST_CASE("exactly the links on which messages of some worker may start are entries") {
  for (auto [name, options] : clusters_of_every_kind()) {
    CAPTURE(name);
    options.workers *= 2;
    options.workers_per_host = 2;
    options.intra_host_link = test_link;
    const Network network = build_network(options);
    for (const Link& link : network.links()) {
      const VertexKind from = network.vertices()[static_cast<std::size_t>(link.from_vertex)].kind;
      const VertexKind to = network.vertices()[static_cast<std::size_t>(link.to_vertex)].kind;
      CHECK(link.is_entry ==
            (from == VertexKind::worker || (from == VertexKind::host && to != VertexKind::worker)));
    }
    for (Rank destination = 1; destination < network.workers(); ++destination) {
      CHECK(link_at(network, network.route(0, destination).front()).is_entry);
    }
  }
}

TEST_CASE("every cable is two links between the same vertices, one each way") {
  for (const auto& [name, options] : clusters_of_every_kind()) {
    CAPTURE(name);
    const Network network = build_network(options);
    std::multiset<std::pair<int, int>> forth;
    std::multiset<std::pair<int, int>> back;
    std::set<std::string> names;
    for (const Link& link : network.links()) {
      forth.emplace(link.from_vertex, link.to_vertex);
      back.emplace(link.to_vertex, link.from_vertex);
      names.insert(link.name);
    }
    CHECK(forth == back);
    CHECK(names.size() == network.links().size());
  }
}

TEST_CASE("a route keeps its place in memory while others are asked for") {
  const Network network = network_of(100, TorusOptions{.dimensions = {10, 10}, .link = test_link});
  const std::span<const LinkIndex> first = network.route(3, 77);
  const std::vector<LinkIndex> copy(first.begin(), first.end());
  all_routes(network);
  CHECK(network.route(3, 77).data() == first.data());
  CHECK(std::equal(first.begin(), first.end(), copy.begin(), copy.end()));
}

TEST_CASE("the summary of a route that is not cached is that of the cached route, in every kind of network") {
  for (auto [name, options] : clusters_of_every_kind()) {
    CAPTURE(name);
    options.workers *= 2;
    options.workers_per_host = 2;
    options.intra_host_link = LinkOptions{.bandwidth_Bps = 16e9, .latency_s = 3e-6};
    Network network = build_network(options);
    Network caching = build_network(options);
    for (Network* one : {&network, &caching}) one->jitter_latencies({.share = 0.1, .seed = 1});
    for (Rank destination = 1; destination < network.workers(); ++destination) {
      const RouteSummary found = network.summary_once(0, destination);
      const RouteSummary cached = caching.summary(0, destination);
      CHECK(found.latency_s == cached.latency_s);
      CHECK(found.least_bandwidth_Bps == cached.least_bandwidth_Bps);
      CHECK(found.slowest == cached.slowest);
    }
  }
}

TEST_CASE("routes stay valid when the network moves") {
  Network network = network_of(4, RingOptions{.link = test_link});
  const std::span<const LinkIndex> route = network.route(0, 1);
  const Network moved = std::move(network);
  CHECK(moved.route(0, 1).data() == route.data());
  CHECK(route_text(moved, 0, 1) == "host0 -> host1");
}

TEST_CASE("a route does not depend on what was asked for before") {
  const FatTreeOptions tree = {.k = 4, .link = test_link};
  const std::vector<std::string> expected = all_routes(network_of(16, tree));
  CHECK(rc::check([&](const std::vector<std::pair<unsigned char, unsigned char>>& questions) {
    const Network network = network_of(16, tree);
    for (const auto& [source, destination] : questions) {
      if (source % 16 != destination % 16) network.route(source % 16, destination % 16);
    }
    RC_ASSERT(all_routes(network) == expected);
  }));
}

TEST_CASE("hashed paths are the same in every build") {
  // Computed apart from this code, by the formula in the docstring of Network.
  const Network network = network_of(16, FatTreeOptions{.k = 4, .link = test_link});
  CHECK(route_text(network, 0, 15) ==
        "host0 -> edge0, edge0 -> aggregation1, aggregation1 -> core3, core3 -> aggregation7, aggregation7 "
        "-> edge7, edge7 -> host15");
  CHECK(route_text(network, 9, 2) ==
        "host9 -> edge4, edge4 -> aggregation5, aggregation5 -> core2, core2 -> aggregation1, aggregation1 "
        "-> edge1, edge1 -> host2");
}

TEST_CASE("a route from a worker to itself or to a worker that does not exist breaks an invariant") {
  const Network network = network_of(4, StarOptions{.link = test_link});
  CHECK_THROWS_AS(network.route(2, 2), InvariantError);
  CHECK_THROWS_AS(network.route(2, 4), InvariantError);
  CHECK_THROWS_AS(network.route(-1, 2), InvariantError);
}

TEST_CASE("a star of a hundred thousand hosts has its routes without a search") {
  const int hosts = 100000;
  const Network network = network_of(hosts, StarOptions{.link = test_link});
  CHECK(network.links().size() == 200000);
  CHECK(network.diameter() == 2);
  for (Rank rank = 0; rank < hosts; ++rank) REQUIRE(network.route(rank, (rank + 1) % hosts).size() == 2);
  CHECK(route_text(network, 99999, 0) == "host99999 -> switch0, switch0 -> host0");
}

TEST_CASE("a cluster needs workers, hosts that hold some, and a link inside hosts that hold several") {
  const NetworkOptions star = {.kind = StarOptions{.link = test_link}};
  CHECK_THROWS_WITH_AS(build_network({.workers = 0}), "cluster: workers is 0; it must be from 1 to 1048576",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      build_network({.workers = 8388609, .workers_per_host = 8388609, .intra_host_link = test_link}),
      "cluster: workers is 8388609; it must be from 1 to 1048576", std::invalid_argument);
  CHECK_THROWS_WITH_AS(build_network({.workers = 4, .workers_per_host = -2}),
                       "cluster: workers_per_host is -2; it must be from 1 to 1024", std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      build_network({.workers = 8, .workers_per_host = 4, .network = star}),
      "cluster: key \"intra_host_link\" is missing, got \"workers_per_host\" 4, expected a link between the "
      "workers of a host, or one worker per host",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(build_network({.workers = 8,
                                      .workers_per_host = 4,
                                      .network = star,
                                      .intra_host_link = LinkOptions{.latency_s = 1e-6}}),
                       "cluster: intra_host_link: bandwidth is 0; it must be from 1 to 1e+18",
                       std::invalid_argument);
}

}  // namespace
}  // namespace starling
