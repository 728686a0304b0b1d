#include "scenarios/reading/cluster_reader.hpp"

#include <fmt/core.h>

#include <variant>

namespace starling {

namespace {

// A greater message overhead is probably a forgotten unit.
constexpr double suspicious_latency_s = 1;

/// Warnings about a leaf-spine network whose shape is probably not intended.
std::vector<std::string> leaf_spine_warnings(const ClusterOptions& options) {
  const auto* network = std::get_if<LeafSpineOptions>(&options.network.kind);
  if (network == nullptr || !network->oversubscription) return {};
  const int hosts = options.hosts();
  if (hosts <= network->hosts_per_leaf && *network->oversubscription == 1) return {};
  if (hosts <= network->hosts_per_leaf)
    return {fmt::format("oversubscription has no effect: all {} hosts are on one leaf of {}", hosts,
                        network->hosts_per_leaf)};
  const double share = network->hosts_per_leaf / (network->spines * *network->oversubscription);
  if (share >= 1 || *network->oversubscription > 1) return {};
  return {
      fmt::format("the link from a leaf to each of {} spines has {:.3g} times the bandwidth of a host's, and "
                  "no connection gets more, however idle the network is: fewer spines, or spine_link, give "
                  "each link as much as a host's",
                  network->spines, share)};
}

/// A warning about rails with a single network card per host.
std::vector<std::string> rail_warnings(const ClusterOptions& options) {
  const bool is_single = options.nics_per_host == 1 && options.workers_per_host > 1;
  if (!is_single || !std::holds_alternative<RailOptions>(options.network.kind)) return {};
  return {fmt::format("one rail, as nics_per_host is 1, which all {} workers of a host share",
                      options.workers_per_host)};
}

/// A warning about Valiant routing without a third group for detours.
std::vector<std::string> dragonfly_warnings(const ClusterOptions& options) {
  const auto* network = std::get_if<DragonflyOptions>(&options.network.kind);
  if (network == nullptr || network->routing != DragonflyRouting::valiant) return {};
  const int groups = dragonfly_groups(options.hosts(), *network);
  if (groups >= least_groups_of_detours) return {};
  return {fmt::format(
      "routing \"valiant\" has no effect, as there {} of routers: routes are those of \"minimal\"; "
      "detours need \"groups\" of at least {}",
      groups == 1 ? "is 1 group" : fmt::format("are {} groups", groups), least_groups_of_detours)};
}

}  // namespace

void warn_about_cluster(const JsonPlace& place, const ClusterDescription& cluster,
                        std::vector<std::string>& warnings) {
  const ClusterOptions& options = cluster.options;
  if (options.workers > options.workers_per_host && options.workers % options.workers_per_host != 0)
    warnings.push_back(fmt::format("{}: {}: {} workers on hosts of {} leave the last host with {}",
                                   place.file(), place.pointer(), options.workers, options.workers_per_host,
                                   options.workers % options.workers_per_host));
  for (const auto& found :
       {leaf_spine_warnings(options), rail_warnings(options), dragonfly_warnings(options)})
    for (const std::string& warning : found)
      warnings.push_back(fmt::format("{}: {}/network: {}", place.file(), place.pointer(), warning));
  if (cluster.message_costs.overhead_s >= suspicious_latency_s)
    warnings.push_back(fmt::format("{}: {}/message_overhead: {} s for each message", place.file(),
                                   place.pointer(), cluster.message_costs.overhead_s));
}

ClusterDescription read_cluster(const JsonPlace& place, std::vector<std::string>& warnings,
                                const OptionContext& context) {
  ClusterDescription cluster;
  read_options(
      place, [&](OptionVisitor& visitor) { describe_cluster(cluster, false, visitor); }, context);
  warn_about_cluster(place, cluster, warnings);
  return cluster;
}

}  // namespace starling
