#pragma once

#include <optional>
#include <string>

#include "base/options/option_visitor.hpp"
#include "sim/messages/message_costs.hpp"
#include "sim/networks/tcp/tcp_options.hpp"
#include "topologies/networks/cluster_options.hpp"
#include "topologies/networks/host_costs.hpp"

namespace starling {

/// What a scenario's `cluster` says: the network, and what a message costs at its ends.
struct ClusterDescription {
  ClusterOptions options;
  /// Whose costs hold where `message_costs` are not given one by one, and why this one.
  std::string transport = "ideal";
  std::string transport_reason;
  MessageCosts message_costs;
  HostCosts host_costs;
  TcpOptions tcp;
  /// By how much of themselves nine of ten predictions on this cluster are off at most; nothing: unknown.
  std::optional<double> model_error;
};

/// Describes a cluster; what it says of connections is told with its defaults only if `uses_tcp`.
void describe_cluster(ClusterDescription& cluster, bool uses_tcp, OptionVisitor& visitor);

}  // namespace starling
