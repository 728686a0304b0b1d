#include "scenarios/reading/cluster_reader.hpp"

#include <fmt/core.h>

namespace starling {

namespace {

// Longer start-ups are likely a forgotten unit.
constexpr double suspicious_latency_s = 1;

}  // namespace

void warn_about_cluster(const JsonPlace& place, const ClusterDescription& cluster,
                        std::vector<std::string>& warnings) {
  const ClusterOptions& options = cluster.options;
  if (options.workers % options.workers_per_host != 0)
    warnings.push_back(fmt::format("{}: {}: {} workers on hosts of {} leave the last host with {}",
                                   place.file(), place.pointer(), options.workers, options.workers_per_host,
                                   options.workers % options.workers_per_host));
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
