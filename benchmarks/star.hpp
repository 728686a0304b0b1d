#pragma once

#include "topologies/networks/network.hpp"

namespace starling {

/// The cluster of most benchmarks: one worker per host, 12.5 GB/s and 1 µs from host to host.
inline ClusterOptions star_cluster(int workers) {
  ClusterOptions cluster;
  cluster.workers = workers;
  cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = 12.5e9, .latency_s = 0.5e-6}};
  return cluster;
}

inline Network star(int workers) { return build_network(star_cluster(workers)); }

}  // namespace starling
