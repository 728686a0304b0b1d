#include "scenarios/description/scenario_schema.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "io/options/schema.hpp"
#include "io/options/table.hpp"
#include "scenarios/description/scenario_description.hpp"
#include "sim/messages/transport.hpp"
#include "topologies/graphs/communication_graph_options.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

std::string limit_text(double bytes) {
  return std::isfinite(bytes) ? fmt::format("{} B", bytes) : "unlimited";
}

std::string host_rate_text(const Transport& transport) {
  return std::isfinite(transport.host_rate_Bps) ? fmt::format("{:g} GB/s", transport.host_rate_Bps / 1e9)
                                                : "unlimited";
}

/// A table of the costs of each transport.
std::string transport_table() {
  std::string table =
      "| transport | | message_overhead | eager_threshold | send_buffer | channels | host_rate | unevenness "
      "| "
      "protocols |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const Transport& each : transports()) {
    std::string protocols;
    for (const Protocol& protocol : each.costs.protocols)
      protocols += fmt::format("{}{}", protocols.empty() ? "" : ", ", protocol.name);
    table += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n", each.name, each.summary,
                         fmt::format("{:g} us", each.costs.overhead_s * 1e6),
                         limit_text(each.costs.eager_threshold_bytes),
                         limit_text(each.costs.send_buffer_bytes), each.costs.channels, host_rate_text(each),
                         each.unevenness, protocols.empty() ? "–" : protocols);
  }
  return table;
}

/// The tables of the reference, by the names in its marks.
std::map<std::string_view, std::string> tables() {
  ScenarioDescription scenario;
  CommunicationGraphKind graph;
  Imbalance imbalance;
  LearningDescription learning;
  DataOptions data;
  PartitionOptions partition;
  FatTreeLevel level;
  NetworkOptions network;
  LinkOverride change;
  Protocol protocol;
  WantedPrecision precision;
  std::uint64_t seed = 0;
  const auto table = [](const Description& describe) { return option_table(describe); };
  const auto table_of = [](auto& options) {
    return option_table([&](OptionVisitor& visitor) { describe(options, visitor); });
  };
  return {
      {"scenario", table_of(scenario)},
      {"precision", table_of(precision)},
      {"cluster", table([&](OptionVisitor& visitor) { describe_cluster(scenario.cluster, true, visitor); })},
      {"networks", table([&](OptionVisitor& visitor) { describe_network(network, 0, visitor); })},
      {"overrides", table([&](OptionVisitor& visitor) { describe_override(change, 0, visitor); })},
      {"fat tree levels", table_of(level)},
      {"protocols", table_of(protocol)},
      {"transports", transport_table()},
      {"simgrid", table_of(scenario.simgrid)},
      {"fair", table_of(scenario.fair)},
      {"tcp", table_of(scenario.cluster.tcp)},
      {"workload", table([&](OptionVisitor& visitor) { describe_workload(scenario.workload, 0, visitor); })},
      {"compute", table_of(scenario.workload.compute)},
      {"imbalance", table([&](OptionVisitor& visitor) { describe_imbalance(imbalance, 0, visitor); })},
      {"learning", table([&](OptionVisitor& visitor) { describe_learning(learning, 0, 0, visitor); })},
      {"data", table_of(data)},
      {"partition", table_of(partition)},
      {"optimizers", table_of(learning.optimizer)},
      {"algorithms", table_of(scenario.algorithms.emplace_back())},
      {"jobs", table([&](OptionVisitor& visitor) {
         describe_job(scenario.jobs.emplace_back(), 0, job_defaults(scenario), visitor);
       })},
      {"graphs", table([&](OptionVisitor& visitor) { describe_graph(graph, seed, visitor); })},
  };
}

void replace_table(std::string& text, std::string_view name, const std::string& table) {
  const std::string begin = fmt::format("<!-- generated: {} -->\n", name);
  const std::size_t first = text.find(begin);
  const std::size_t end = text.find(fmt::format("<!-- end of {} -->", name));
  STARLING_INVARIANT(first < end && end != std::string::npos);
  const std::size_t start = first + begin.size();
  text.replace(start, end - start, table);
}

}  // namespace

Json scenario_schema() {
  Json definitions = quantity_definitions(true);
  ScenarioDescription scenario;
  const Json own = option_schema([&](OptionVisitor& visitor) { describe(scenario, visitor); }, definitions);
  Json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "A scenario of Starling: which training job on which cluster, by which algorithms"}};
  schema.update(own);
  schema["definitions"] = std::move(definitions);
  return schema;
}

std::string scenario_schema_text() { return scenario_schema().dump(2) + "\n"; }

std::string with_option_tables(std::string text) {
  for (const auto& [name, table] : tables()) replace_table(text, name, table);
  return text;
}

}  // namespace starling
