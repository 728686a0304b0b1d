#include "commands/list_command.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "commands/schema_command.hpp"
#include "io/version.hpp"
#include "tests/commands/desk.hpp"

namespace starling {
namespace {

TEST_CASE("Everything that can be listed has entries") {
  const Desk desk;
  for (const std::string& what : listable()) {
    const ProgramRun run = desk.starling("list " + what);
    CHECK(run.exit_code == 0);
    CHECK(std::count(run.out.begin(), run.out.end(), '\n') >= 4);
  }
  CHECK(desk.starling("list models").out.find("resnet50 ") != std::string::npos);
  CHECK(desk.starling("list model").error ==
        "starling: cannot list \"model\" (did you mean \"models\"?); can list models, profiles, algorithms, "
        "topologies, gpus, distributions, tasks, transports\n");
}

TEST_CASE("list --json prints a line for each entry, which begins with the version") {
  const Desk desk;
  for (const std::string& what : listable()) {
    CAPTURE(what);
    const ProgramRun run = desk.starling("list " + what + " --json");
    CHECK(run.exit_code == 0);
    const std::string table = desk.starling("list " + what).out;
    CHECK(std::count(run.out.begin(), run.out.end(), '\n') == std::count(table.begin(), table.end(), '\n'));
    const auto first = nlohmann::ordered_json::parse(run.out.substr(0, run.out.find('\n')));
    CHECK(first.begin().key() == "starling");
    CHECK(first.at("starling") == version());
    CHECK(table.starts_with(first.at("name").get<std::string>()));
    CHECK(table.find("  " + first.at("description").get<std::string>() + "\n") != std::string::npos);
  }
}

TEST_CASE("Schemas are printed as JSON") {
  const Desk desk;
  for (const std::string& what : schemas()) {
    const ProgramRun run = desk.starling("schema " + what);
    CHECK(run.exit_code == 0);
    CHECK(nlohmann::json::parse(run.out).contains("$schema"));
  }
  CHECK(desk.starling("schema stud").exit_code == 2);
}

}  // namespace
}  // namespace starling
