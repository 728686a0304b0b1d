// Whatever messages do to each other, no link passes more bytes a second than its bandwidth.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/collectives/runner.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/networks/tcp/tcp_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

// A ring's busiest link is busy all the time but for latencies, which these messages make small.
constexpr double load_share = 1e-9;

/// What the busiest link needs for all bytes that cross it.
double least_time_s(const Network& network, const Schedule& schedule) {
  std::vector<double> bytes(network.links().size());
  for (Rank rank = 0; rank < schedule.ranks(); ++rank)
    for (int index = 0; index < schedule.rounds(rank); ++index) {
      const Transmission send = schedule.round(rank, index).send;
      if (!send.is_present()) continue;
      for (const LinkIndex link : network.route(rank, send.peer))
        bytes[static_cast<std::size_t>(link)] +=
            static_cast<double>(send.chunk.count) * Buffer::bytes_per_float;
    }
  double least_s = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    least_s = std::max(least_s, bytes[i] / network.links()[i].bandwidth_Bps);
  return least_s;
}

double simulated_s(const Network& network, NetworkModel& model, const Schedule& schedule) {
  SimulatedWorld world(network, model);
  world.run([&](Worker& worker) { run_schedule(worker, schedule, Buffer::sized(schedule.count()), 0); });
  return world.statistics().makespan_s;
}

std::vector<NetworkKind> contended_networks() {
  const LinkOptions link{.bandwidth_Bps = 3e9, .latency_s = 1e-6};
  return {StarOptions{.link = link},
          LeafSpineOptions{.hosts_per_leaf = 2, .spines = 2, .link = link, .oversubscription = 4},
          RingOptions{.link = link}};
}

TEST_CASE("no all-reduce is faster than its busiest link, on any network, under any model") {
  for (const NetworkKind& kind : contended_networks()) {
    const Network network =
        build_network({.workers = 16,
                       .workers_per_host = 2,
                       .network = {.kind = kind},
                       .intra_host_link = LinkOptions{.bandwidth_Bps = 12e9, .latency_s = 2e-6}});
    for (const CollectiveKind collective :
         {CollectiveKind::ring, CollectiveKind::recursive_doubling, CollectiveKind::halving_doubling,
          CollectiveKind::double_tree, CollectiveKind::hierarchical}) {
      const auto schedule = make_allreduce(collective, 16, 1'000'000, {.workers_per_host = 2});
      CAPTURE(kind.index());
      CAPTURE(schedule->name());
      const double least_s = least_time_s(network, *schedule);
      EventNetwork in_turn(network);
      CHECK_GE(simulated_s(network, in_turn, *schedule), least_s * (1 - load_share));
      FairNetwork in_shares(network, {.epsilon = 1e-9});
      CHECK_GE(simulated_s(network, in_shares, *schedule), least_s * (1 - load_share));
      SimGridNetwork at_once(network);
      CHECK_GE(simulated_s(network, at_once, *schedule), least_s * (1 - load_share));
      TcpNetwork frame_by_frame(network);
      CHECK_GE(simulated_s(network, frame_by_frame, *schedule), least_s * (1 - load_share));
    }
  }
}

TEST_CASE("a ring keeps its busiest link busy all the time but for latencies") {
  for (const NetworkKind& kind : contended_networks()) {
    const Network network = build_network({.workers = 16, .network = {.kind = kind}});
    const auto schedule = make_allreduce(CollectiveKind::ring, 16, 16'000'000);
    const double least_s = least_time_s(network, *schedule);
    // 30 rounds of at most four latencies of 1 µs.
    EventNetwork in_turn(network);
    CHECK_LE(simulated_s(network, in_turn, *schedule), least_s + 30 * 4e-6 + least_s * load_share);
    FairNetwork in_shares(network, {.epsilon = 1e-9});
    CHECK_LE(simulated_s(network, in_shares, *schedule), least_s + 30 * 4e-6 + least_s * load_share);
    SimGridNetwork at_once(network);
    CHECK_LE(simulated_s(network, at_once, *schedule), least_s + 30 * 4e-6 + least_s * load_share);
    // Its own acknowledgments take no time, and its windows cover what those wait behind data of the same
    // ring.
    TcpNetwork frame_by_frame(network, {.window_bytes = 1e9, .acknowledgment_bytes = 0});
    CHECK_LE(simulated_s(network, frame_by_frame, *schedule), least_s + 30 * 4e-6 + least_s * load_share);
  }
}

}  // namespace
}  // namespace starling
