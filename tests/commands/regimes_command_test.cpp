#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/results/files/folder_lock.hpp"
#include "tests/commands/desk.hpp"

namespace starling {
namespace {

TEST_CASE("regimes maps a study and keeps its points, and replaces a map only with --force") {
  const Desk desk;
  auto steady = nlohmann::json::parse(two_algorithms);
  steady["workload"].erase("imbalance");
  write_file(desk.path() / "steady.json", steady.dump());
  write_file(desk.path() / "regimes.json", R"({"base": "steady.json", "workers": [2, 4],
    "communication_to_compute": [0.5, 2], "coefficient_of_variation": [0]})");
  const ProgramRun run = desk.starling("regimes regimes.json --out map --set /law=weibull");
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("4 workers") != std::string::npos);
  CHECK(desk.text("map/regimes.csv").starts_with("workers,"));
  CHECK(desk.text("map/regimes.svg").find("communication / compute") != std::string::npos);
  CHECK(desk.starling("regimes regimes.json --out map").exit_code == 2);
  {
    const FolderLock lock(desk.path() / "map");
    CHECK(desk.starling("regimes regimes.json --out map --force").error.find("another run") !=
          std::string::npos);
  }
  const std::string points = desk.text("map/regimes_points.jsonl");
  CHECK(std::count(points.begin(), points.end(), '\n') >= 4);
  CHECK(
      desk.starling("regimes regimes.json --out map --force --json --set /law=weibull --jobs 2").exit_code ==
      0);
  CHECK(desk.text("map/regimes_points.jsonl") == points);
  for (const char* option : {"", " --force"}) {
    const ProgramRun run_there = desk.starling(std::string("run scenario.json --out map") + option);
    CHECK(run_there.exit_code == 2);
    CHECK(run_there.error.find("--out: another command's regimes.json is in this folder") !=
          std::string::npos);
  }
  CHECK(desk.starling("run scenario.json --out results --quiet").exit_code == 0);
  CHECK(desk.starling("regimes regimes.json --out results").error.find("another command's result.json") !=
        std::string::npos);
  std::filesystem::create_directories(desk.path() / "stopped" / "regimes.csv");  // cannot be written
  CHECK(desk.starling("regimes regimes.json --out stopped").exit_code == 1);
  std::filesystem::remove(desk.path() / "stopped" / "regimes.csv");
  CHECK(desk.starling("regimes regimes.json --out stopped").exit_code == 0);
  CHECK(desk.starling("regimes regimes.json --jobs 0").exit_code == 2);
  CHECK(desk.starling("regimes scenario.json").exit_code == 2);
}

}  // namespace
}  // namespace starling
