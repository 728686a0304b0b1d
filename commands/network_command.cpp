#include "commands/network_command.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "analysis/networks/network_picture.hpp"
#include "analysis/networks/network_report.hpp"
#include "analysis/networks/network_report_text.hpp"
#include "analysis/networks/price_list_file.hpp"
#include "analysis/running/network_facts.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/output_place.hpp"
#include "io/output_file.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal/terminal.hpp"
#include "scenarios/reading/cluster_file.hpp"
#include "topologies/networks/export_network.hpp"

namespace starling {
namespace {

void write_exported(const NetworkArguments& arguments, const ClusterFile& file) {
  const std::vector<std::string> formats = export_formats();
  if (std::ranges::find(formats, *arguments.export_format) == formats.end())
    throw UsageError(fmt::format("--export: there is no format \"{}\"; there are {}",
                                 *arguments.export_format, fmt::join(formats, ", ")));
  if (arguments.out && std::filesystem::exists(*arguments.out))
    throw UsageError(fmt::format("--out: {} already exists and is not replaced; give another name",
                                 arguments.out->string()));
  std::ostringstream text;
  naming_place(file.file.string(), "/cluster/network",
               [&] { export_network(build_network(file.cluster), *arguments.export_format, text); });
  if (arguments.out)
    write_once(*arguments.out, text.str());
  else
    print_out(text.str());
}

/// The formats hold links without host costs; a cluster that reads the file applies its own host costs.
void warn_about_host_costs(const ClusterFile& file) {
  const HostCosts& costs = file.host_costs;
  std::vector<std::string> given;
  if (costs.goodput < 1) given.push_back(fmt::format("cluster.goodput ({:g})", costs.goodput));
  if (costs.latency_s > 0)
    given.push_back(fmt::format("cluster.host_latency ({:g} us)", costs.latency_s * 1e6));
  const bool is_limited = std::isfinite(costs.rate_Bps) &&
                          naming_place(file.file.string(), "/cluster/network",
                                       [&] { return network_of(file.cluster, costs).is_limited_by_hosts(); });
  if (is_limited) given.push_back(fmt::format("cluster.host_rate ({:g} GB/s)", costs.rate_Bps / 1e9));
  if (given.empty()) return;
  warn(fmt::format("{}: properties of hosts are not exported", fmt::join(given, ", ")));
}

/// A SimGrid platform has a host for each worker, so it includes the placement; GraphML does not.
void warn_about_placement(const PlacementOptions& placement, const std::string& format) {
  if (is_block(placement)) return;
  if (format == "simgrid")
    warn(
        "cluster.placement is exported as the order of hosts, that of the ranks on them; to import the file "
        "use \"placement\": \"block\"");
  if (format == "graphml")
    warn("cluster.placement is a property of workers and is not exported: give it again to import the file");
}

/// GraphML and DOT hold only cables between hosts and switches; a SimGrid platform also holds the routes.
void warn_about_what_is_lost(const ClusterOptions& cluster, const std::string& format) {
  if (format == "simgrid") return;
  if (cluster.nics_per_host > 1 || cluster.nic_link)
    warn(
        "cluster.nics_per_host and cluster.nic_link are not exported: in the imported network each host has "
        "one network card, as fast as its cables");
  const auto* const graph = std::get_if<GraphOptions>(&cluster.network.kind);
  if (graph != nullptr && (!graph->hosts_forward || graph->preferred_switches > 0))
    warn(
        "hosts_forward and preferred_switches of the network are not exported: in the imported network "
        "routes may lead through hosts, and over any switch");
  if (std::holds_alternative<DragonflyOptions>(cluster.network.kind))
    warn(
        "the routing of a dragonfly is not exported: in the imported network messages take shortest paths; "
        "--export simgrid has the routes");
}

}  // namespace

void add_network(CommandLine& line) {
  const auto arguments = std::make_shared<NetworkArguments>();
  Command network = line.add_command("network", "Describe the network of a scenario, and its price");
  add_scenario(network, arguments->file, "FILE", "or a file with a cluster, ");
  network.add_option("--prices", "FILE", &arguments->price_list,
                     "Prices of the parts (JSON, see starling schema price_list; default: the assumed prices "
                     "of scenarios/prices/assumed.json)");
  network.add_flag("--json", arguments->is_json, "Print JSON in place of tables");
  network.add_option("--picture", "FILE", &arguments->picture,
                     "Draw the network to a .svg, .png or .pdf; only a picture made by starling is replaced");
  network.add_option("--export", "FORMAT", &arguments->export_format,
                     "Write the network instead of tables: graphml, dot, or simgrid, a platform for smpirun");
  network.add_option("--out", "FILE", &arguments->out, "File for --export (default: stdout)");
  add_overrides(network, arguments->overrides, "file");
  network.set_footer(
      "Examples:\n"
      "  starling network scenarios/oversubscribed.json\n"
      "  starling network scenario.json --prices ours.json --picture network.svg\n"
      "  starling network scenario.json --export graphml --out network.graphml");
  network.does(arguments, network_command);
}

void network_command(const NetworkArguments& arguments) {
  const ClusterFile file = read_cluster_file(arguments.file, arguments.overrides);
  for (const std::string& warning : file.warnings) warn(warning);
  if (arguments.out && !arguments.export_format)
    throw UsageError("--out is the file of --export, which is missing");
  if (arguments.export_format && (arguments.picture || arguments.is_json || arguments.price_list))
    throw UsageError("--export: writes the network alone; leave out --picture, --json and --prices");
  if (arguments.picture) check_place_of_picture(*arguments.picture, "--picture");
  if (arguments.export_format) {
    warn_about_host_costs(file);
    warn_about_placement(file.cluster.placement, *arguments.export_format);
    warn_about_what_is_lost(file.cluster, *arguments.export_format);
    return write_exported(arguments, file);
  }
  const std::filesystem::path prices = arguments.price_list.value_or(shipped_price_list());
  const PriceList list = read_price_list(prices);
  const NetworkReport report = naming_place(file.file.string(), "/cluster/network", [&] {
    return network_report(file.cluster, file.scenario ? &*file.scenario : nullptr, list, prices,
                          file.host_costs);
  });
  if (arguments.picture)
    naming_place(file.file.string(), "/cluster/network", [&] {
      draw_network(build_network(file.cluster), file.scenario ? file.scenario->name : report.kind,
                   *arguments.picture);
    });
  if (arguments.is_json)
    print_json(network_json(report).dump(2) + "\n");
  else
    print_out(network_table(report));
}

}  // namespace starling
