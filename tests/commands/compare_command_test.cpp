#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/commands/desk.hpp"

namespace starling {
namespace {

TEST_CASE("compare prints the differences of two results, and refuses other folders") {
  const Desk desk;
  CHECK(desk.starling("run scenario.json --out a --quiet").exit_code == 0);
  CHECK(desk.starling("run scenario.json --set /cluster/network/link/bandwidth=1Gbps --out b --quiet")
            .exit_code == 0);
  const ProgramRun run = desk.starling("compare a b");
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("/cluster/network/link/bandwidth") != std::string::npos);
  CHECK(run.out.find("exposed communication +") != std::string::npos);
  CHECK(nlohmann::json::parse(desk.starling("compare a b --json").out).at("runs").size() == 2);
  CHECK(desk.starling("compare a").exit_code == 2);
  CHECK(desk.starling("compare a nowhere").exit_code == 2);
  write_file(desk.path() / "jobs.json", two_jobs);
  CHECK(desk.starling("run jobs.json --out jobs --quiet").exit_code == 0);
  CHECK(desk.starling("compare a jobs").error ==
        "jobs/result.json: /jobs: results of several jobs cannot be compared, expected results of scenarios "
        "with algorithms\n");
}

}  // namespace
}  // namespace starling
