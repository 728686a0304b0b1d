#include "analysis/running/network_facts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "sim/networks/fair_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr LinkOptions cable{.bandwidth_Bps = 1e9, .latency_s = 1e-6};

/// Two hosts of eight workers.
ClusterOptions two_hosts(NetworkKind kind, int nics_per_host) {
  return {.workers = 16,
          .workers_per_host = 8,
          .network = {.kind = std::move(kind)},
          .intra_host_link = LinkOptions{.bandwidth_Bps = 1e11, .latency_s = 1e-7},
          .nics_per_host = nics_per_host};
}

double interfaces(const ClusterOptions& cluster) {
  return facts_of(build_network(cluster), MessageCosts{}).interfaces_per_host;
}

TEST_CASE("as many workers of a host send at once as it has network cards") {
  CHECK(interfaces(two_hosts(StarOptions{.link = cable}, 1)) == about(1));
  CHECK(interfaces(two_hosts(RailOptions{.link = cable}, 2)) == about(2));
  CHECK(interfaces(two_hosts(RailOptions{.link = cable}, 8)) == about(8));
}

TEST_CASE("windows and rates that no route needs limit nothing") {
  Scenario scenario = small_scenario();
  const Network network = build_network(scenario.cluster);
  CHECK(do_only_links_limit(scenario, network));
  // 1 GB/s, 1 µs on each of two links, there and back.
  scenario.fair.frame_bytes = 1000;
  scenario.fair.window_bytes = 5001;
  CHECK(do_only_links_limit(scenario, network));
  scenario.fair.window_bytes = 4999;
  CHECK_FALSE(do_only_links_limit(scenario, network));
  scenario.message_costs.channels = 2;
  CHECK(do_only_links_limit(scenario, network));
  scenario.fair.window_bytes = {};
  scenario.fair.connection_rate_Bps = 5e8;
  CHECK(do_only_links_limit(scenario, network));
  scenario.fair.connection_rate_Bps = 4.9e8;
  CHECK_FALSE(do_only_links_limit(scenario, network));
}

TEST_CASE("a last host of fewer workers tells as well what those of a host share") {
  ClusterOptions cluster = two_hosts(StarOptions{.link = cable}, 1);
  cluster.workers = 11;
  CHECK(interfaces(cluster) == about(1));
}

TEST_CASE("cards that are slower than their cables are as many interfaces") {
  // Each of four cards has a bus that takes half of what its cable does, so two workers fill it as one does.
  ClusterOptions cluster = two_hosts(RailOptions{.link = cable}, 4);
  cluster.nic_link = LinkOptions{.bandwidth_Bps = 5e8, .latency_s = 1e-7};
  CHECK(interfaces(cluster) == about(4));
}

/// Four leaves of four hosts, below one spine: an uplink takes what one host's link does.
ClusterOptions oversubscribed_leaves(int workers_per_host) {
  LeafSpineOptions leaves{.hosts_per_leaf = 4, .spines = 1, .link = cable};
  leaves.oversubscription = 4;
  return {.workers = 16 * workers_per_host,
          .workers_per_host = workers_per_host,
          .network = {.kind = leaves},
          .intra_host_link = LinkOptions{.bandwidth_Bps = 1e10, .latency_s = 1e-6}};
}

TEST_CASE("exchanges of all ranks at once cost what the most shared link takes") {
  const std::vector<LinearCosts> costs =
      facts_of(build_network(oversubscribed_leaves(2)), MessageCosts{}).exchange_costs();
  // Inside hosts, inside leaves two workers on a host's link, and between leaves eight on an uplink.
  const std::vector<double> cables = {0.1, 2, 2, 8, 8};
  const std::vector<double> links = {1, 2, 2, 4, 4};
  REQUIRE_EQ(costs.size(), cables.size());
  for (std::size_t bit = 0; bit < costs.size(); ++bit) {
    CAPTURE(bit);
    CHECK(costs[bit].s_per_byte == about(cables[bit] / cable.bandwidth_Bps));
    CHECK(costs[bit].start_up_s == about(links[bit] * cable.latency_s));
  }
}

TEST_CASE("a message costs latencies, both its overheads and the protocol that is the slowest to begin") {
  const MessageCosts costs{.overhead_s = 3e-6,
                           .protocols = {{.name = "slow", .latency_s = 5e-6, .intra_host_latency_s = 2e-6},
                                         {.name = "quick", .latency_s = 1e-6, .intra_host_latency_s = 1e-7}}};
  const ClusterFacts facts = facts_of(build_network(two_hosts(StarOptions{.link = cable}, 1)), costs);
  CHECK(facts.costs.start_up_s == about(2 * 1e-6 + 2 * 3e-6 + 5e-6));
  CHECK(facts.costs.s_per_byte == about(1e-9));
  REQUIRE(facts.intra_host_costs);
  CHECK(facts.intra_host_costs->start_up_s == about(1e-7 + 2 * 3e-6 + 2e-6));
  CHECK(facts.intra_host_costs->s_per_byte == about(1e-11));
  CHECK(facts.handshake_s == about(2 * 2e-6));  // there and back
}

TEST_CASE("a byte of a message costs what the protocol with the most data takes of the slowest link for it") {
  const MessageCosts costs{
      .protocols = {{.name = "lean", .efficiency = 0.8, .intra_host_efficiency = 0.5, .latency_s = 5e-6},
                    {.name = "quick", .efficiency = 0.25, .intra_host_efficiency = 0.2}}};
  const Network network = build_network(two_hosts(StarOptions{.link = cable}, 1));
  const ClusterFacts facts = facts_of(network, costs);
  CHECK(facts.costs.s_per_byte == about(1e-9 / 0.8));
  REQUIRE(facts.intra_host_costs);
  CHECK(facts.intra_host_costs->s_per_byte == about(1e-11 / 0.5));
  const std::vector<LinearCosts> exchanges = facts.exchange_costs();
  CHECK(exchanges.front().s_per_byte == about(1e-11 / 0.5));
  CHECK(exchanges.back().s_per_byte == about(8 * 1e-9 / 0.8));  // of eight workers at once
}

TEST_CASE("of scattered ranks those of a host that send to the next one elsewhere share its link") {
  const auto s_per_byte = [](int workers_per_host, std::vector<int> hosts) {
    const ClusterOptions cluster{.workers = static_cast<int>(hosts.size()),
                                 .workers_per_host = workers_per_host,
                                 .network = {.kind = StarOptions{.link = cable}},
                                 .intra_host_link = LinkOptions{.bandwidth_Bps = 1e11, .latency_s = 1e-7},
                                 .placement = {.hosts = std::move(hosts)}};
    const ClusterFacts facts = facts_of(build_network(cluster), MessageCosts{});
    CHECK(facts.is_scattered);
    return facts.costs.s_per_byte;
  };
  CHECK(s_per_byte(4, {0, 1, 0, 1, 0, 1, 0, 1}) == about(4e-9));
  CHECK(s_per_byte(2, {0, 0, 1, 2, 2, 1}) == about(2e-9));  // rank 5 sends to rank 0
}

TEST_CASE("of scattered ranks it is known which placements of this network leave those of a host together") {
  using Placements = std::vector<std::string>;
  const auto names = [](NetworkKind kind, const std::string& placement) {
    ClusterOptions cluster = two_hosts(std::move(kind), 1);
    cluster.placement = {.name = placement};
    return facts_of(build_network(cluster), MessageCosts{}).consecutive_placements;
  };
  CHECK(names(StarOptions{.link = cable}, "round_robin") == Placements{"block", "optimized"});
  CHECK(names(LineOptions{.link = cable}, "round_robin") == Placements{"block", "snake", "optimized"});
  CHECK(names(LineOptions{.link = cable}, "snake").empty());
}

TEST_CASE("exchanges are not known for other than powers of two") {
  ClusterOptions cluster = oversubscribed_leaves(1);
  cluster.workers = 12;
  CHECK(facts_of(build_network(cluster), MessageCosts{}).exchange_costs().empty());
}

TEST_CASE("recursive doubling and halving-doubling on an oversubscribed network take what is predicted") {
  const Network network = build_network(oversubscribed_leaves(1));
  constexpr std::int64_t count = 160'000;
  CollectiveOptions options;
  options.exchange_costs = facts_of(network, MessageCosts{}).exchange_costs();
  for (const CollectiveKind kind : {CollectiveKind::recursive_doubling, CollectiveKind::halving_doubling}) {
    const auto schedule = make_allreduce(kind, network.workers(), count, options);
    FairNetwork model(network);
    SimulatedWorld world(network, model);
    world.run([&](Worker& worker) { run_schedule(worker, *schedule, Buffer::sized(count), 1); });
    CHECK(world.statistics().makespan_s ==
          about(predicted_allreduce_s(kind, network.workers(), count, options)));
  }
}

/// Two switches with four hosts each and one cable between them.
ClusterOptions dumbbell(const LinkOptions& between) {
  GraphOptions graph{.switches = 2, .cables = {{.from = 8, .to = 9, .link = between}}};
  for (int host = 0; host < 8; ++host)
    graph.cables.push_back({.from = host, .to = host < 4 ? 8 : 9, .link = cable});
  return {.workers = 8, .network = {.kind = graph}};
}

/// Four hosts below each of four switches, these in pairs below two, and these below one.
ClusterOptions binary_tree() {
  const FatTreeLevel two{.down = 2, .up = 1};
  const FatTreeOptions tree{.levels = {{.down = 4, .up = 1}, two, two}, .link = cable};
  return {.workers = 16, .network = {.kind = tree}};
}

/// When each rank has the sum.
std::vector<double> ring_ends_s(const Network& network, std::int64_t count) {
  std::vector<double> ends_s(static_cast<std::size_t>(network.workers()));
  const auto schedule = make_allreduce(CollectiveKind::ring, network.workers(), count);
  FairNetwork model(network);
  SimulatedWorld world(network, model);
  world.run([&](Worker& worker) {
    run_schedule(worker, *schedule, Buffer::sized(count), 1);
    ends_s[static_cast<std::size_t>(worker.rank())] = worker.now();
  });
  return ends_s;
}

TEST_CASE(
    "a ring takes what is predicted: the mean of ranks where latencies decide, the last where bytes do") {
  ClusterOptions far_host{.workers = 8, .network = {.kind = StarOptions{.link = cable}}};
  far_host.network.overrides = {{.host = 3, .bandwidth_Bps = 1e8, .latency_s = 2e-5}};
  const ClusterOptions line{.workers = 8, .network = {.kind = LineOptions{.link = cable}}};
  ClusterOptions turns = dumbbell(cable);  // every message crosses
  turns.placement = {.hosts = {0, 4, 1, 5, 2, 6, 3, 7}};
  for (const ClusterOptions& cluster :
       {line, binary_tree(), far_host, dumbbell({.bandwidth_Bps = 2e8, .latency_s = 1e-5}), turns,
        oversubscribed_leaves(2)}) {
    const Network network = build_network(cluster);
    CAPTURE(network.links().size());
    const RingCosts ring = facts_of(network, MessageCosts{}).ring_costs(1);
    const auto predicted_s = [&](std::int64_t count) {
      return predicted_allreduce_s(CollectiveKind::ring, network.workers(), count, {.ring_costs = ring});
    };
    // Messages of an element are so short that they hardly meet on links.
    const std::vector<double> few_s = ring_ends_s(network, network.workers());
    const double mean_s = std::accumulate(few_s.begin(), few_s.end(), 0.0) / network.workers();
    CHECK(mean_s == about(predicted_s(network.workers()), 0.02));
    constexpr std::int64_t many = 16'000'000;
    const double last_s = std::ranges::max(ring_ends_s(network, many));
    CHECK(last_s >= (1 - rounding_of_sums) * predicted_s(many));
    CHECK(last_s <= predicted_s(many) + network.workers() * ring.mean.start_up_s);
  }
}

TEST_CASE("rings between hosts run all at once, with what is left of a card for each") {
  ClusterOptions cluster = two_hosts(LineOptions{.link = cable}, 1);
  cluster.workers = 24;
  const RingCosts ring = facts_of(build_network(cluster), MessageCosts{}).ring_costs(8);
  CHECK(ring.mean.start_up_s == about((1e-6 + 1e-6 + 2e-6) / 3));
  CHECK(ring.mean.s_per_byte == about(8e-9));
  CHECK(ring.slowest_s_per_byte == about(8e-9));
}

TEST_CASE("all hops of a paced ring take as long for a byte as the slowest") {
  MessageCosts costs{.are_rings_paced = true, .protocols = {{.name = "only", .latency_s = 5e-6}}};
  const Network network = build_network(two_hosts(StarOptions{.link = cable}, 1));
  const RingCosts paced = facts_of(network, costs).ring_costs(1);
  CHECK(paced.mean.s_per_byte == about(1e-9));
  CHECK(paced.mean.start_up_s == about((2 * (2e-6 + 5e-6) + 14 * 1e-7) / 16));
  costs.are_rings_paced = false;
  CHECK(facts_of(network, costs).ring_costs(1).mean.s_per_byte == about((2 * 1e-9 + 14 * 1e-11) / 16));
}

TEST_CASE("one worker has no ring that costs anything") {
  const ClusterOptions cluster{.workers = 1, .network = {.kind = StarOptions{.link = cable}}};
  CHECK(facts_of(build_network(cluster), MessageCosts{}).ring_costs(1).mean.start_up_s == 0);
}

}  // namespace
}  // namespace starling
