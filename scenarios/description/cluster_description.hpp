#pragma once

#include <optional>
#include <string>

#include "base/options/option_visitor.hpp"
#include "sim/messages/message_costs.hpp"
#include "sim/networks/tcp/tcp_options.hpp"
#include "topologies/networks/cluster_options.hpp"
#include "topologies/networks/host_costs.hpp"

namespace starling {

/// The block `cluster` of a scenario: the network, and the costs of a message at its ends.
struct ClusterDescription {
  ClusterOptions options;
  /// The transport, whose values hold for all message costs that are not given, and why it was chosen.
  std::string transport = "ideal";
  std::string transport_reason;
  MessageCosts message_costs;
  HostCosts host_costs;
  TcpOptions tcp;
  /// e such that nine of ten measured times t lie between prediction / (1 + e) and prediction · (1 + e);
  /// nullopt: unknown.
  std::optional<double> model_error;
};

/// Describes a cluster. `uses_tcp`: the engine is tcp, so the transport must fit it, and the block `tcp` is
/// described with its defaults even where it is absent.
void describe_cluster(ClusterDescription& cluster, bool uses_tcp, OptionVisitor& visitor);

}  // namespace starling
