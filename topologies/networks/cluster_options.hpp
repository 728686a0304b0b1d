#pragma once

#include <optional>

#include "base/options/option_visitor.hpp"
#include "topologies/networks/network_options.hpp"
#include "topologies/placement/placement.hpp"

namespace starling {

/// The hosts, workers and network of a cluster.
struct ClusterOptions {
  int workers = 0;
  int workers_per_host = 1;
  NetworkOptions network = {};
  /// Between two workers of the same host; its latency is paid once per message. Required if workers_per_host
  /// > 1.
  std::optional<LinkOptions> intra_host_link = {};
  PlacementOptions placement = {};
  /// Network cards (NICs) of a host; more than 1 only on rails. Must divide workers_per_host, and if it is
  /// more than 1, every host must hold workers_per_host workers. The first workers_per_host / nics_per_host
  /// workers of a host use its card 0, the next as many card 1, and so on.
  int nics_per_host = 1;
  /// Between a network card and the workers that share it, such as a PCIe switch. Every message that leaves
  /// or enters a host crosses one. If absent, a card is as fast as its cable and adds no latency.
  std::optional<LinkOptions> nic_link = {};

  /// ⌈workers / workers_per_host⌉: the last host may hold fewer workers than the others.
  int hosts() const { return (workers - 1) / workers_per_host + 1; }
};

void describe(ClusterOptions& options, OptionVisitor& visitor);

}  // namespace starling
