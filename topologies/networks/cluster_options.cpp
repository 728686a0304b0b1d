#include "topologies/networks/cluster_options.hpp"

#include <fmt/format.h>

#include <variant>

namespace starling {
namespace {

constexpr int most_workers_per_host = 1024;

/// Describes the network between `hosts` hosts. A single host needs none: it gets a graph without cables.
void describe_network_of_hosts(NetworkOptions& network, int hosts, OptionVisitor& visitor) {
  bool is_given = true;
  visitor.object({"network", "the network between hosts; required if there are several hosts", "absent"},
                 Nested{.describe = [&](OptionVisitor& inner) { describe_network(network, hosts, inner); },
                        .may_be_absent = true,
                        .set_present =
                            [&](bool is_present) {
                              is_given = is_present;
                              network =
                                  is_present ? NetworkOptions{} : NetworkOptions{.kind = GraphOptions{}};
                            }});
  visitor.require(is_given || hosts == 1, "", "key \"network\" is missing",
                  "an object, or all workers on one host", fmt::format("{} hosts", hosts));
}

void describe_hosts(ClusterOptions& options, OptionVisitor& visitor) {
  visitor.integer(
      {.key = "workers", .meaning = "P, the number of workers; one worker is one GPU", .is_needed = true},
      options.workers, {1, most_workers});
  visitor.integer({"workers_per_host", "workers of each host; the last host may have fewer"},
                  options.workers_per_host, {1, most_workers_per_host});
  const int hosts = options.hosts();
  describe_network_of_hosts(options.network, hosts, visitor);
  visitor.object({"intra_host_link",
                  "link between the workers of a host; required if a host has several; its latency counts "
                  "once for a message inside a host",
                  "absent"},
                 options.intra_host_link);
  visitor.require(options.workers_per_host == 1 || options.intra_host_link, "",
                  "key \"intra_host_link\" is missing",
                  "a link between the workers of a host, or one worker per host",
                  fmt::format("\"workers_per_host\" {}", options.workers_per_host));
  describe_placement(options.placement, options.workers, hosts, visitor);
}

void require_fitting_nics(const ClusterOptions& options, OptionVisitor& visitor) {
  const int nics = options.nics_per_host;
  visitor.require(nics == 1 || std::holds_alternative<RailOptions>(options.network.kind), "nics_per_host",
                  "the network gives each host one network card", "1, or a network of kind \"rail\"");
  visitor.require(options.workers_per_host % nics == 0, "nics_per_host",
                  "does not divide the workers of a host",
                  fmt::format("a divisor of \"workers_per_host\" {}", options.workers_per_host));
  visitor.require(nics == 1 || options.workers % options.workers_per_host == 0, "nics_per_host",
                  "with several network cards per host, every host must have all its workers",
                  fmt::format("\"workers\" a multiple of {}", options.workers_per_host));
}

/// Must come after describe_hosts(), as its checks depend on the workers of a host and on the network.
void describe_nics(ClusterOptions& options, OptionVisitor& visitor) {
  std::optional<int> given;
  if (options.nics_per_host != 1) given = options.nics_per_host;
  visitor.integer({"nics_per_host",
                   "network cards of each host; more than one with a network of kind `rail` only. Must "
                   "divide `workers_per_host`. The first workers of a host share its first card; with as "
                   "many cards as workers, worker i has card i",
                   "1"},
                  given, {1, most_workers_per_host});
  options.nics_per_host = given.value_or(1);
  require_fitting_nics(options, visitor);
  visitor.object({"nic_link",
                  "link between a network card and the workers that share it, such as a PCIe switch; every "
                  "message that leaves or enters a host crosses one",
                  "absent: a card is as fast as its cable"},
                 options.nic_link);
}

}  // namespace

void describe(ClusterOptions& options, OptionVisitor& visitor) {
  describe_hosts(options, visitor);
  describe_nics(options, visitor);
}

}  // namespace starling
