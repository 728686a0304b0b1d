#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algorithms/training/registry.hpp"
#include "base/options/option_kinds.hpp"
#include "io/json/schema.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"
#include "topologies/networks/network_options.hpp"
#include "workloads/imbalance/imbalance_options.hpp"

namespace starling {

namespace {

/// An entry of bad_scenarios.txt.
struct BadScenario {
  std::string what;
  std::vector<std::string> changes;  // to the base scenario
  std::string message;
  bool is_beyond_schema = false;
};

/// These names in quotes, as errors list them.
std::string list_of(const std::vector<std::string>& names) {
  return fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

std::string list_of(const std::vector<Kind>& kinds) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  return list_of(names);
}

std::string with_lists(std::string message) {
  std::vector<std::string> algorithms;
  for (const RegisteredAlgorithm& algorithm : registered_algorithms())
    algorithms.emplace_back(algorithm.kind());
  const std::map<std::string, std::string> lists = {{"<networks>", list_of(kinds_of<NetworkKind>())},
                                                    {"<imbalance causes>", list_of(kinds_of<Imbalance>())},
                                                    {"<algorithms>", list_of(algorithms)}};
  for (const auto& [name, list] : lists)
    if (const std::size_t at = message.find(name); at != std::string::npos)
      message.replace(at, name.size(), list);
  return message;
}

/// Entries are a line that says what is wrong, the changes to the base scenario, and the error. Lines that
/// begin with # are headings.
std::vector<BadScenario> bad_scenarios() {
  std::vector<BadScenario> all;
  std::ifstream file(BAD_SCENARIOS);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (!line.starts_with("  ")) {
      all.push_back({line, {}, "", false});
    } else if (line.starts_with("  error: ") || line.starts_with("  error beyond the schema: ")) {
      all.back().message = with_lists(line.substr(line.find(": ") + 2));
      all.back().is_beyond_schema = line.starts_with("  error beyond");
    } else {
      all.back().changes.push_back(line.substr(2));
    }
  }
  return all;
}

TEST_CASE("the base scenario of these tests is right") {
  const ScratchFolder folder;
  const auto file = folder.write("base.json", base_scenario);
  CHECK(error_of(folder.path(), [&] { read_scenario(file); }) == "no error");
}

TEST_CASE("every bad scenario is rejected with its message") {
  const auto all = bad_scenarios();
  CHECK(all.size() >= 140);
  const ScratchFolder folder;
  for (const BadScenario& bad : all) {
    CAPTURE(bad.what);
    const auto file = folder.write("bad.json", changed_scenario(bad.changes).dump());
    CHECK(error_of(folder.path(), [&] { read_scenario(file); }) == "bad.json: " + bad.message);
  }
}

TEST_CASE("the schema rejects what the reader rejects unless only the reader can tell") {
  for (const BadScenario& bad : bad_scenarios()) {
    CAPTURE(bad.what);
    const nlohmann::json document = changed_scenario(bad.changes);
    const std::string error =
        error_of("", [&] { validate_against_schema(document, "scenario", "bad.json"); });
    CHECK((error == "no error") == bad.is_beyond_schema);
  }
}

}  // namespace

}  // namespace starling
