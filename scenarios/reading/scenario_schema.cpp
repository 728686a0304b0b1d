#include "scenarios/reading/scenario_schema.hpp"

#include <fmt/format.h>

#include "algorithms/training/registry.hpp"
#include "base/errors.hpp"
#include "io/options/schema.hpp"
#include "io/options/table.hpp"
#include "io/schema.hpp"
#include "scenarios/reading/algorithm_reader.hpp"
#include "topologies/graphs/communication_graph_options.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

ScenarioAlgorithm any_algorithm() { return {"", registered_algorithms().front().defaults, {}}; }

std::string algorithm_table() {
  ScenarioAlgorithm algorithm = any_algorithm();
  return option_table([&](OptionVisitor& visitor) { describe(algorithm, visitor); });
}

std::string graph_table() {
  CommunicationGraphKind graph;
  std::uint64_t seed = 0;
  return option_table([&](OptionVisitor& visitor) { describe_graph(graph, seed, visitor); });
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
  Json schema = Json::parse(schema_text("scenario"));
  Json definitions = quantity_definitions();
  ScenarioAlgorithm algorithm = any_algorithm();
  definitions["algorithm"] =
      option_schema([&](OptionVisitor& visitor) { describe(algorithm, visitor); }, definitions);
  for (auto& [name, definition] : definitions.items()) schema["definitions"][name] = std::move(definition);
  return schema;
}

std::string scenario_schema_text() { return scenario_schema().dump(2) + "\n"; }

std::string with_option_tables(std::string text) {
  replace_table(text, "algorithms", algorithm_table());
  replace_table(text, "graphs", graph_table());
  return text;
}

}  // namespace starling
