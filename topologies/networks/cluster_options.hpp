#pragma once

#include <optional>

#include "base/options/option_visitor.hpp"
#include "topologies/networks/network_options.hpp"
#include "topologies/placement/placement.hpp"

namespace starling {

/// A cluster. Its last host may hold fewer workers.
struct ClusterOptions {
  int workers = 0;
  int workers_per_host = 1;
  NetworkOptions network = {};
  /// Between two workers of one host; its latency counts once. Required where workers_per_host > 1.
  std::optional<LinkOptions> intra_host_link = {};
  PlacementOptions placement = {};
  /// Network cards of a host; several only on rails. Must divide workers_per_host, and hosts must be full
  /// where there are several: the first workers_per_host / nics_per_host workers of a host use its card 0.
  int nics_per_host = 1;
  /// Between a network card and the workers that use it, who share it: a PCIe switch. Whatever leaves a host
  /// or comes to it passes one. Left out: the card takes what its cable takes, at no latency.
  std::optional<LinkOptions> nic_link = {};

  /// The last one may hold fewer workers.
  int hosts() const { return (workers - 1) / workers_per_host + 1; }
};

void describe(ClusterOptions& options, OptionVisitor& visitor);

}  // namespace starling
