#include "scenarios/cluster_reader.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "scenarios/network_reader.hpp"
#include "scenarios/scenario_error.hpp"
#include "topologies/network.hpp"

namespace starling {

namespace {

constexpr int most_workers = 1 << 20;
constexpr int most_workers_per_host = 1024;
// Longer start-ups are likely a forgotten unit.
constexpr double suspicious_latency_s = 1;

MessageCosts read_message_costs(ObjectReader& object) {
  MessageCosts costs;
  costs.overhead_s = object.quantity("message_overhead", Dimension::time, 0.0);
  const auto rate = object.optional_quantity("reduction_rate", Dimension::bandwidth);
  costs.reduction_s_per_byte = rate ? 1 / *rate : 0;
  const auto threshold = object.optional_quantity("eager_threshold", Dimension::size);
  if (threshold) costs.eager_threshold_bytes = *threshold;
  return costs;
}

ClusterOptions read_options(ObjectReader& object) {
  ClusterOptions options;
  options.workers = object.small_integer("workers", {1, most_workers});
  options.workers_per_host = object.small_integer("workers_per_host", {1, most_workers_per_host}, 1);
  const int hosts = (options.workers + options.workers_per_host - 1) / options.workers_per_host;
  options.network =
      object.object("network", [hosts](const JsonPlace& place) { return read_network(place, hosts); });
  options.intra_host_link = object.optional_object("intra_host_link", read_link);
  if (options.workers_per_host > 1 && !options.intra_host_link)
    throw ScenarioError({object.place().file(), object.place().pointer(),
                         "key \"intra_host_link\" is missing",
                         fmt::format("\"workers_per_host\" {}", options.workers_per_host),
                         "a link between the workers of a host, or one worker per host"});
  return options;
}

/// Overrides of links, and whatever else only the finished network can tell.
void check_network(const JsonPlace& place, const ClusterOptions& options) {
  try {
    build_network(options);
  } catch (const std::invalid_argument& error) {
    throw ScenarioError({place.file(), place.pointer(), error.what(), "", ""});
  }
}

void warn(const JsonPlace& place, const ClusterDescription& cluster, std::vector<std::string>& warnings) {
  const ClusterOptions& options = cluster.options;
  if (options.workers % options.workers_per_host != 0)
    warnings.push_back(fmt::format("{}: {}: {} workers on hosts of {} leave the last host with {}",
                                   place.file(), place.pointer(), options.workers, options.workers_per_host,
                                   options.workers % options.workers_per_host));
  if (cluster.message_costs.overhead_s >= suspicious_latency_s)
    warnings.push_back(fmt::format("{}: {}/message_overhead: {} s for each message", place.file(),
                                   place.pointer(), cluster.message_costs.overhead_s));
}

}  // namespace

Normalised<ClusterDescription> read_cluster(const JsonPlace& place, std::vector<std::string>& warnings) {
  ObjectReader object(place, {"workers", "workers_per_host", "network", "intra_host_link", "message_overhead",
                              "reduction_rate", "eager_threshold"});
  ClusterDescription cluster;
  cluster.options = read_options(object);
  cluster.message_costs = read_message_costs(object);
  check_network(object.at("network"), cluster.options);
  warn(place, cluster, warnings);
  return {cluster, object.as_read()};
}

}  // namespace starling
