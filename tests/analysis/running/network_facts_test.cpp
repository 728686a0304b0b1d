#include "analysis/running/network_facts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "analysis/running/runner.hpp"
#include "sim/messages/transport.hpp"
#include "sim/networks/fair/fair_network.hpp"
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

/// The number of network interfaces per host that algorithms are told.
double interfaces(const ClusterOptions& cluster) {
  return facts_of(build_network(cluster), MessageCosts{}).interfaces_per_host;
}

TEST_CASE("the interfaces of a host are as many as its network cards") {
  CHECK(interfaces(two_hosts(StarOptions{.link = cable}, 1)) == about(1));
  CHECK(interfaces(two_hosts(RailOptions{.link = cable}, 2)) == about(2));
  CHECK(interfaces(two_hosts(RailOptions{.link = cable}, 8)) == about(8));
}

TEST_CASE("windows and rates limit only if they are below what a route can carry") {
  Scenario scenario = small_scenario();
  const Network network = build_network(scenario.cluster);
  CHECK(do_only_links_limit(scenario, network));
  // The bandwidth-delay product is 1 GB/s times 4 µs (two links of 1 µs, there and back), plus a frame: 5000
  // bytes.
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

TEST_CASE("a last host with fewer workers does not change the interfaces per host") {
  ClusterOptions cluster = two_hosts(StarOptions{.link = cable}, 1);
  cluster.workers = 11;
  CHECK(interfaces(cluster) == about(1));
}

TEST_CASE("network cards slower than their cables still count as one interface each") {
  // Each of four cards has a bus of half of its cable's bandwidth, which a single worker fills.
  ClusterOptions cluster = two_hosts(RailOptions{.link = cable}, 4);
  cluster.nic_link = LinkOptions{.bandwidth_Bps = 5e8, .latency_s = 1e-7};
  CHECK(interfaces(cluster) == about(4));
}

/// Four leaves of four hosts below one spine, oversubscribed 4:1: an uplink has the bandwidth of one host's
/// link.
ClusterOptions oversubscribed_leaves(int workers_per_host) {
  LeafSpineOptions leaves{.hosts_per_leaf = 4, .spines = 1, .link = cable};
  leaves.oversubscription = 4;
  return {.workers = 16 * workers_per_host,
          .workers_per_host = workers_per_host,
          .network = {.kind = leaves},
          .intra_host_link = LinkOptions{.bandwidth_Bps = 1e10, .latency_s = 1e-6}};
}

/// The costs of steps of all collectives. The network must outlive them.
CollectiveSteps steps_on(const Network& network, const MessageCosts& costs = {}) {
  const ClusterFacts facts = facts_of(network, costs);
  return collective_steps(CollectiveKind::automatic, facts.workers, facts.workers_per_host, facts.step_costs);
}

TEST_CASE("simultaneous exchanges of all ranks cost the time of the most shared link") {
  const Network network = build_network(oversubscribed_leaves(2));
  const std::vector<StepCostsBySize> exchanges = steps_on(network).exchanges;
  // By bit of the rank: inside a host on its link of 10 GB/s, inside a leaf two workers share a host's link,
  // and between leaves eight share an uplink.
  const std::vector<double> cables = {0.1, 2, 2, 8, 8};
  const std::vector<double> links = {1, 2, 2, 4, 4};
  REQUIRE_EQ(exchanges.size(), cables.size());
  for (std::size_t bit = 0; bit < exchanges.size(); ++bit) {
    CAPTURE(bit);
    const LinearCosts slowest = exchanges[bit](1e6).slowest;
    CHECK(slowest.s_per_byte == about(cables[bit] / cable.bandwidth_Bps));
    CHECK(slowest.start_up_s == about(links[bit] * cable.latency_s));
  }
}

TEST_CASE("folds to a power of two cost the mean and the slowest of pairs inside and between hosts") {
  ClusterOptions cluster = two_hosts(StarOptions{.link = cable}, 1);
  cluster.workers_per_host = 3;
  cluster.workers = 6;
  const Network network = build_network(cluster);
  const CollectiveSteps steps = steps_on(network);
  for (const StepCostsBySize& fold : {steps.fold_before, steps.fold_after}) {
    CHECK(fold(1e6).mean.start_up_s ==
          about((1e-7 + 2e-6) / 2));  // ranks 0 and 1 share a host, 2 and 3 do not
    CHECK(fold(1e6).slowest.start_up_s == about(2e-6));
    CHECK(fold(1e6).slowest.s_per_byte == about(1e-9));
  }
  CHECK(steps.exchanges.size() == 2);
  cluster.workers = 4;
  const Network of_four = build_network(cluster);
  CHECK_FALSE(steps_on(of_four).fold_before);
}

TEST_CASE("messages above the eager threshold cost three latencies") {
  const MessageCosts costs{.overhead_s = 3e-6, .eager_threshold_bytes = 1000};
  const Network network = build_network(two_hosts(LineOptions{.link = cable}, 1));
  const StepCostsBySize ring = steps_on(network, costs).ring;
  CHECK(ring(1000).slowest.start_up_s == about(1e-6 + 6e-6));
  CHECK(ring(1000).mean.start_up_s == about((2 * 1e-6 + 14 * 1e-7) / 16 + 6e-6));
  // By rendezvous all ranks wait for the slowest hop.
  CHECK(ring(1001).slowest.start_up_s == about(3e-6 + 6e-6));
  CHECK(ring(1001).mean.start_up_s == about(3e-6 + 6e-6));
  CHECK(ring(1001).mean.s_per_byte == about(1e-9));
}

TEST_CASE("workers that send to each other by rendezvous over one stream do so one after the other") {
  const Network network = build_network(two_hosts(StarOptions{.link = cable}, 1));
  MessageCosts costs{.eager_threshold_bytes = 1000, .sends_all_in_order = true};
  const CollectiveSteps steps = steps_on(network, costs);
  const double alone_s = steps.exchanges.back()(1000).slowest.s_per_byte;
  CHECK(steps.exchanges.back()(1001).slowest.s_per_byte == about(2 * alone_s));
  CHECK(steps.exchanges.back()(1001).mean.s_per_byte == about(2 * alone_s));
  CHECK(steps.ring(1001).slowest.s_per_byte == about(steps.ring(1000).slowest.s_per_byte));
  costs.channels = 2;
  CHECK(steps_on(network, costs).exchanges.back()(1001).slowest.s_per_byte == about(alone_s));
}

TEST_CASE("over one stream the collective chosen by auto is a ring, which uneven workers do not slow down") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 8;
  scenario.transport = "mpi_tcp";
  scenario.message_costs = transport("mpi_tcp").costs;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.02}};
  for (const char* collective : {"auto", "ring", "halving_doubling"})
    add_algorithm(scenario, AllreduceOptions{.collective = collective}, collective);
  const Result result = simulate(scenario);
  const auto exposed_s = [&](std::size_t run) { return result.runs[run].breakdown_s.exposed_communication; };
  CHECK(exposed_s(0) == exposed_s(1));
  CHECK(exposed_s(2) > 1.5 * exposed_s(1));
}

TEST_CASE(
    "the start-up cost of a message is its latencies, two overheads and the greatest latency of a protocol") {
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

TEST_CASE("the cost of a byte is that of the slowest link with the most efficient protocol") {
  const MessageCosts costs{
      .protocols = {{.name = "lean", .efficiency = 0.8, .intra_host_efficiency = 0.5, .latency_s = 5e-6},
                    {.name = "quick", .efficiency = 0.25, .intra_host_efficiency = 0.2}}};
  const Network network = build_network(two_hosts(StarOptions{.link = cable}, 1));
  const ClusterFacts facts = facts_of(network, costs);
  CHECK(facts.costs.s_per_byte == about(1e-9 / 0.8));
  REQUIRE(facts.intra_host_costs);
  CHECK(facts.intra_host_costs->s_per_byte == about(1e-11 / 0.5));
}

TEST_CASE("the costs of a step are those of the protocol that is fastest for its message size") {
  const MessageCosts costs{
      .protocols = {{.name = "lean", .efficiency = 0.8, .intra_host_efficiency = 0.5, .latency_s = 5e-6},
                    {.name = "quick", .efficiency = 0.25, .intra_host_efficiency = 0.2}}};
  const Network network = build_network(two_hosts(StarOptions{.link = cable}, 1));
  const std::vector<StepCostsBySize> exchanges = steps_on(network, costs).exchanges;
  const auto inside = [&](double bytes) { return exchanges.front()(bytes).slowest; };
  const auto across = [&](double bytes) { return exchanges.back()(bytes).slowest; };
  CHECK(inside(1e6).s_per_byte == about(1e-11 / 0.5));
  CHECK(across(1e6).s_per_byte == about(8 * 1e-9 / 0.8));  // eight workers share the card
  CHECK(across(1e6).start_up_s == about(2e-6 + 5e-6));
  CHECK(across(100).s_per_byte == about(8 * 1e-9 / 0.25));
  CHECK(across(100).start_up_s == about(2e-6));
  CHECK(across(0).start_up_s == about(2e-6));
}

TEST_CASE("with scattered ranks the cost of a byte grows with the ranks of a host that send to other hosts") {
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
  CHECK(s_per_byte(2, {0, 0, 1, 2, 2, 1}) ==
        about(2e-9));  // ranks 3 → 4 are on host 2; 2 and 5 of host 1 both send elsewhere
}

TEST_CASE("with scattered ranks the facts name the placements that keep the ranks of a host together") {
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

/// The simulated time in seconds at which the last rank has the sum.
double simulated_s(const Network& network, const MessageCosts& costs, CollectiveKind kind, std::int64_t count,
                   const CollectiveOptions& options) {
  const auto schedule = make_allreduce(kind, network.workers(), count, options);
  FairNetwork model(network, {.has_control_channel = true});
  SimulatedWorld world(network, model, costs);
  world.run([&](Worker& worker) { run_schedule(worker, *schedule, Buffer::sized(count), 1); });
  return world.statistics().makespan_s;
}

/// Checks that recursive doubling and halving-doubling take the predicted time in the simulation.
void check_exchanges(const ClusterOptions& cluster, const MessageCosts& costs, std::int64_t count) {
  const Network network = build_network(cluster);
  const CollectiveOptions options{.steps = std::make_shared<CollectiveSteps>(steps_on(network, costs))};
  for (const CollectiveKind kind : {CollectiveKind::recursive_doubling, CollectiveKind::halving_doubling}) {
    CAPTURE(name_of(kind));
    CAPTURE(network.workers());
    CAPTURE(count);
    CHECK(simulated_s(network, costs, kind, count, options) ==
          about(predicted_allreduce_s(kind, network.workers(), count, options)));
  }
}

TEST_CASE("recursive doubling and halving-doubling on an oversubscribed network take the predicted time") {
  for (const int workers_per_host : {1, 2})
    check_exchanges(oversubscribed_leaves(workers_per_host), {}, 160'000);
}

TEST_CASE("folds, and exchanges inside and between hosts, take the predicted time with rendezvous messages") {
  // By rendezvous every step waits for the slowest message of the one before, as the prediction assumes.
  const MessageCosts waiting{.reduction_s_per_byte = 1e-10, .eager_threshold_bytes = 0};
  for (const auto& [workers, workers_per_host] : {std::pair{6, 2}, {12, 4}, {24, 8}, {28, 4}, {3, 1}}) {
    ClusterOptions cluster = two_hosts(StarOptions{.link = cable}, 1);
    cluster.workers = workers;
    cluster.workers_per_host = workers_per_host;
    check_exchanges(cluster, waiting, 320'000);
  }
}

TEST_CASE("exchanges take the predicted time with the fastest protocol for their size") {
  MessageCosts costs = transport("nccl_ib").costs;
  costs.send_buffer_bytes = std::numeric_limits<double>::infinity();
  ClusterOptions cluster = two_hosts(StarOptions{.link = cable}, 1);
  for (const int workers_per_host : {1, 8})
    for (const std::int64_t count : {64, 16'384, 1'048'576}) {
      // Messages of at most a frame take no bandwidth of a shared link.
      if (workers_per_host > 1 && count == 64) continue;
      cluster.workers_per_host = workers_per_host;
      check_exchanges(cluster, costs, count);
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

/// The simulated time in seconds at which each rank has the sum.
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
    "a ring takes the predicted time: on the mean over ranks for few bytes, on the last rank for many") {
  ClusterOptions far_host{.workers = 8, .network = {.kind = StarOptions{.link = cable}}};
  far_host.network.overrides = {{.host = 3, .bandwidth_Bps = 1e8, .latency_s = 2e-5}};
  const ClusterOptions line{.workers = 8, .network = {.kind = LineOptions{.link = cable}}};
  ClusterOptions turns = dumbbell(cable);  // every message crosses the cable between the switches
  turns.placement = {.hosts = {0, 4, 1, 5, 2, 6, 3, 7}};
  for (const ClusterOptions& cluster :
       {line, binary_tree(), far_host, dumbbell({.bandwidth_Bps = 2e8, .latency_s = 1e-5}), turns,
        oversubscribed_leaves(2)}) {
    const Network network = build_network(cluster);
    CAPTURE(network.links().size());
    const CollectiveOptions options{.steps = std::make_shared<CollectiveSteps>(steps_on(network))};
    const auto predicted_s = [&](std::int64_t count) {
      return predicted_allreduce_s(CollectiveKind::ring, network.workers(), count, options);
    };
    // Messages of one element hardly share links: 2 %.
    const std::vector<double> few_s = ring_ends_s(network, network.workers());
    const double mean_s = std::accumulate(few_s.begin(), few_s.end(), 0.0) / network.workers();
    CHECK(mean_s == about(predicted_s(network.workers()), 0.02));
    constexpr std::int64_t many = 16'000'000;
    const double last_s = std::ranges::max(ring_ends_s(network, many));
    CHECK(last_s >= (1 - rounding_of_sums) * predicted_s(many));
    CHECK(last_s <= predicted_s(many) + network.workers() * options.steps->ring(0).mean.start_up_s);
  }
}

TEST_CASE("simultaneous rings between hosts each have a share of a card's bandwidth") {
  ClusterOptions cluster = two_hosts(LineOptions{.link = cable}, 1);
  cluster.workers = 24;
  const Network network = build_network(cluster);
  const StepCosts ring = steps_on(network).between_hosts(1e6);
  CHECK(ring.mean.start_up_s == about((1e-6 + 1e-6 + 2e-6) / 3));
  CHECK(ring.mean.s_per_byte == about(8e-9));
  CHECK(ring.slowest.s_per_byte == about(8e-9));
}

TEST_CASE("a byte takes as long on every hop of a paced ring as on the slowest") {
  MessageCosts costs{.are_rings_paced = true, .protocols = {{.name = "only", .latency_s = 5e-6}}};
  const Network network = build_network(two_hosts(StarOptions{.link = cable}, 1));
  const StepCosts paced = steps_on(network, costs).ring(1e6);
  CHECK(paced.mean.s_per_byte == about(1e-9));
  CHECK(paced.mean.start_up_s == about((2 * (2e-6 + 5e-6) + 14 * 1e-7) / 16));
  costs.are_rings_paced = false;
  CHECK(steps_on(network, costs).ring(1e6).mean.s_per_byte == about((2 * 1e-9 + 14 * 1e-11) / 16));
}

TEST_CASE("the all-reduce of a single worker costs nothing") {
  const ClusterOptions cluster{.workers = 1, .network = {.kind = StarOptions{.link = cable}}};
  const Network network = build_network(cluster);
  CHECK_FALSE(steps_on(network).ring);
  const CollectiveOptions options{.steps = std::make_shared<CollectiveSteps>(steps_on(network))};
  CHECK(predicted_allreduce_s(CollectiveKind::automatic, 1, 1000, options) == 0);
}

}  // namespace
}  // namespace starling
