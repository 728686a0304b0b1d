#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/data_directory.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

TEST_CASE("every shipped scenario is right and says so without warnings") {
  int count = 0;
  const auto folder = data_directory() / "scenarios";
  std::vector<std::filesystem::directory_entry> entries(std::filesystem::directory_iterator{folder}, {});
  if (std::filesystem::exists(folder / "figures"))
    entries.insert(entries.end(), std::filesystem::directory_iterator{folder / "figures"}, {});
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json" || name == "published.json" || name == "unfitted.json") continue;
    CAPTURE(entry.path().string());
    const Scenario scenario = read_scenario(entry.path());
    CHECK(scenario.name == entry.path().stem().string());
    CHECK(scenario.warnings.empty());
    CHECK(scenario.transport_reason == "given");
    ++count;
  }
  CHECK(count >= 13);
}

/// Whether a transport is stated in the file, in its base scenario, or in the file of its cluster.
bool states_transport(const std::filesystem::path& file) {
  const auto document = nlohmann::json::parse(contents_of(file));
  const nlohmann::json given = document.value("base", document).at("cluster");
  if (given.contains("transport")) return true;
  return given.contains("file") && states_transport(file.parent_path() / given.value("file", ""));
}

TEST_CASE("every scenario for other commands than run states a transport, too") {
  int with_cluster = 0;
  for (const char* name : {"scenarios/validation", "scenarios/designs", "scenarios/regimes", "examples"}) {
    if (!std::filesystem::exists(data_directory() / name)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_directory() / name)) {
      if (entry.path().extension() != ".json") continue;
      const std::string text = contents_of(entry.path());
      if (text.find("\"cluster\"") == std::string::npos) continue;
      CAPTURE(entry.path().string());
      CHECK(states_transport(entry.path()));
      ++with_cluster;
    }
  }
  CHECK(with_cluster >= 16);
}

}  // namespace
}  // namespace starling
