#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"
#include "algorithms/collectives/schedules/ring.hpp"
#include "sim/messages/transport.hpp"
#include "tests/algorithms/collectives/evaluation/compared.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// The size of a ring: its workers, and the workers on each host; the last host has the rest.
struct RingSize {
  int workers;
  int workers_per_host;
  int slow_hosts = 0;  // the first ones, with a third of the bandwidth
};

/// A ring all-reduce that an evaluator has followed.
struct RingCase {
  int workers;
  int workers_per_host;
  std::int64_t count;
  double spread_s;  // of when the ranks begin
};

/// Evaluates rings of all these sizes, over stars and several transports, with `counts(workers)` elements,
/// ranks that begin at once or not, and calls visit(case, evaluator) after each.
template <typename Counts, typename Visit>
void for_each_evaluated_ring(const std::vector<RingSize>& sizes, const Counts& counts, const Visit& visit) {
  for (const auto& [workers, workers_per_host, slow_hosts] : sizes) {
    ClusterOptions described{.workers = workers,
                             .workers_per_host = workers_per_host,
                             .network = {.kind = StarOptions{.link = {1.25e9, 4e-6}}},
                             .intra_host_link = LinkOptions{1e11, 1e-6}};
    for (int host = 0; host < slow_hosts; ++host) {
      LinkOverride& slow = described.network.overrides.emplace_back();
      slow.host = host;
      slow.bandwidth_Bps = 1.25e9 / 3;
    }
    const Network network = build_network(described);
    for (const char* name : {"ideal", "nccl_ib", "mpi_tcp"}) {
      MessageCosts costs = transport(name).costs;
      costs.reduction_s_per_byte = 2e-11;
      for (const std::int64_t count : counts(workers)) {
        for (const double spread_s : {0.0, 1e-5, 3e-3}) {
          CAPTURE(workers);
          CAPTURE(workers_per_host);
          CAPTURE(slow_hosts);
          CAPTURE(name);
          CAPTURE(count);
          CAPTURE(spread_s);
          FreeRoutes routes(network, costs, rules_of(Model::fair));
          std::optional<RingEvaluator> rings = RingEvaluator::make(routes);
          REQUIRE(rings.has_value());
          const RingSchedule schedule(RingSchedule::Phase::allreduce, workers, count);
          if (!rings->can_follow(schedule, Buffer::bytes_per_float)) continue;
          (void)rings->evaluate(schedule, random_beginnings(workers, spread_s), Buffer::bytes_per_float);
          visit(RingCase{workers, workers_per_host, count, spread_s}, *rings);
        }
      }
    }
  }
}

}  // namespace starling
