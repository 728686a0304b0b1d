#include "commands/network_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/shared/common_options.hpp"
#include "io/terminal.hpp"
#include "io/text_table.hpp"
#include "scenarios/reading/cluster_file.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

/// "1.25 GB/s".
std::string rate_text(double rate_Bps) { return bytes_text(rate_Bps) + "/s"; }

/// Both, or one if they are equal.
std::string range_text(const std::string& least, const std::string& greatest) {
  return least == greatest ? least : least + " to " + greatest;
}

/// What worker 0 meets on its ways to all others.
struct Reach {
  double least_latency_s = 0;
  double greatest_latency_s = 0;
  double least_bandwidth_Bps = 0;
  double greatest_bandwidth_Bps = 0;
};

Reach reach_of_first_worker(const Network& network) {
  Reach reach{.least_latency_s = network.alpha_s(0, 1), .least_bandwidth_Bps = network.bandwidth_Bps(0, 1)};
  for (Rank other = 1; other < network.workers(); ++other) {
    const double alpha_s = network.alpha_s(0, other);
    const double bandwidth_Bps = network.bandwidth_Bps(0, other);
    reach.least_latency_s = std::min(reach.least_latency_s, alpha_s);
    reach.greatest_latency_s = std::max(reach.greatest_latency_s, alpha_s);
    reach.least_bandwidth_Bps = std::min(reach.least_bandwidth_Bps, bandwidth_Bps);
    reach.greatest_bandwidth_Bps = std::max(reach.greatest_bandwidth_Bps, bandwidth_Bps);
  }
  return reach;
}

/// Those between hosts and switches; each has a link in either direction.
std::size_t cables_of(const Network& network) {
  const auto is_between_hosts = [&](const Link& link) {
    const auto vertices = static_cast<int>(network.hosts() + network.switches());
    return link.from_vertex < vertices && link.to_vertex < vertices;
  };
  return static_cast<std::size_t>(std::ranges::count_if(network.links(), is_between_hosts)) / 2;
}

std::string facts_of(const ClusterOptions& cluster) {
  const Network network = build_network(cluster);
  const std::string kind =
      std::visit([](const auto& options) { return std::string(options.name); }, cluster.network.kind);
  std::vector<TableRow> rows{{"network", kind},
                             {"workers", std::to_string(network.workers())},
                             {"hosts", std::to_string(network.hosts())},
                             {"switches", std::to_string(network.switches())},
                             {"cables", std::to_string(cables_of(network))},
                             {"diameter, links", std::to_string(network.diameter())}};
  if (network.hosts() > 1)
    rows.push_back({"bisection bandwidth, one direction", rate_text(network.bisection_bandwidth_Bps())});
  if (network.workers() > 1) {
    const Reach reach = reach_of_first_worker(network);
    rows.push_back({"latency from worker 0",
                    range_text(time_text(reach.least_latency_s), time_text(reach.greatest_latency_s))});
    rows.push_back({"bandwidth from worker 0", range_text(rate_text(reach.least_bandwidth_Bps),
                                                          rate_text(reach.greatest_bandwidth_Bps))});
  }
  return aligned(rows);
}

}  // namespace

void add_network(CommandLine& line) {
  const auto arguments = std::make_shared<NetworkArguments>();
  Command network = line.add_command("network", "Tell what the network of a scenario is");
  network.add_required_word("FILE", &arguments->file, "Scenario, or a file with a cluster (JSON)");
  add_overrides(network, arguments->overrides, "file");
  network.set_footer("Example:\n  starling network scenarios/oversubscribed.json");
  network.does(arguments, network_command);
}

void network_command(const NetworkArguments& arguments) {
  const ClusterFile file = read_cluster_file(arguments.file, arguments.overrides);
  for (const std::string& warning : file.warnings) warn(warning);
  print_out(facts_of(file.cluster));
}

}  // namespace starling
