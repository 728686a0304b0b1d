#include "scenarios/description/cluster_description.hpp"

#include <fmt/format.h>

#include "topologies/networks/network.hpp"

namespace starling {
namespace {

constexpr int most_workers = 1 << 20;
constexpr int most_workers_per_host = 1024;

void describe_hosts(ClusterOptions& options, OptionVisitor& visitor) {
  visitor.integer({.key = "workers", .meaning = "P; one worker is one GPU", .is_needed = true},
                  options.workers, {1, most_workers});
  visitor.integer({"workers_per_host", "ranks of a host are consecutive; the last host may hold fewer"},
                  options.workers_per_host, {1, most_workers_per_host});
  const int hosts = (options.workers + options.workers_per_host - 1) / options.workers_per_host;
  visitor.object({.key = "network", .meaning = "between hosts", .is_needed = true},
                 Nested{.describe = [&options, hosts](OptionVisitor& inner) {
                   describe_network(options.network, hosts, inner);
                 }});
  visitor.object({"intra_host_link",
                  "between workers of one host, needed if there are several; its latency counts once for a "
                  "message inside a host",
                  "absent"},
                 options.intra_host_link);
  visitor.require(options.workers_per_host == 1 || options.intra_host_link, "",
                  "key \"intra_host_link\" is missing",
                  "a link between the workers of a host, or one worker per host",
                  fmt::format("\"workers_per_host\" {}", options.workers_per_host));
}

void describe_host_costs(HostCosts& costs, OptionVisitor& visitor) {
  visitor.number(
      {"goodput", "the share of a link's bandwidth between hosts that carries data; the rest is headers"},
      costs.goodput, {.least = 1e-6, .greatest = 1});
  visitor.time({"host_latency",
                "what a host adds to the latency of a message that leaves it for another host: system calls, "
                "waking up"},
               costs.latency_s);
}

}  // namespace

void describe_cluster(ClusterDescription& cluster, bool uses_tcp, OptionVisitor& visitor) {
  describe_hosts(cluster.options, visitor);
  describe(cluster.message_costs, visitor);
  describe_host_costs(cluster.host_costs, visitor);
  // A scenario for another engine may carry the options of TCP, for when it is run with that engine.
  visitor.object({"tcp", "the connections between hosts for the engine `tcp`; may be there with any",
                  "the defaults below"},
                 Nested{.describe = [&](OptionVisitor& inner) { describe(cluster.tcp, inner); },
                        .is_present = uses_tcp,
                        .may_be_absent = !uses_tcp,
                        .set_present = [&](bool) { cluster.tcp = {}; }});
  visitor.include({"file",
                   "one whose `cluster` holds the keys that are not given here (a key that is given here "
                   "counts as a whole), such as `starling calibrate` writes",
                   "absent"},
                  "cluster", {"starling", "measured"});
  // Overrides of links, and whatever else only the finished network can tell.
  visitor.check("network", [&] { build_network(cluster.options); });
}

}  // namespace starling
