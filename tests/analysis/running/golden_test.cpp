#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "program.hpp"

namespace starling {
namespace {

const std::filesystem::path golden_folder = STARLING_GOLDEN_FOLDER;

/// The text of result.json without keys that differ between executions and versions.
std::string without_simulation(const std::string& result) {
  auto document = nlohmann::ordered_json::parse(result);
  document.erase("simulation");
  document.erase("starling");
  document.erase("scenario_hash");
  return document.dump(2) + "\n";
}

std::string without_scenario_hash(std::string trace) {
  const std::size_t begin = trace.find(R"("otherData":{"scenario_hash":")");
  REQUIRE(begin != std::string::npos);
  return trace.erase(begin, trace.find(R"("traceEvents":)") - begin);
}

/// Checks that a written file equals the golden one. If STARLING_UPDATE_GOLDEN is set, replaces the golden
/// file first.
void check_golden(const std::string& name, const std::string& written) {
  CAPTURE(name);
  if (std::getenv("STARLING_UPDATE_GOLDEN") != nullptr) write_file(golden_folder / name, written);
  CHECK(written == contents_of(golden_folder / name));
}

// To regenerate after a change that is meant to change results:
//   STARLING_UPDATE_GOLDEN=1 build/release/bin/tests_analysis --test-case="*golden*"
TEST_CASE("The golden scenario's files have the same bytes as before, in every build") {
  const ScratchFolder desk;
  for (const char* name : {"scenario.json", "model.json"})
    std::filesystem::copy_file(golden_folder / name, desk.path() / name);
  const ProgramRun run = run_program(desk.path(), "run scenario.json --out results --trace --quiet");
  REQUIRE(run.exit_code == 0);
  check_golden("table.txt", run.out);
  check_golden("result.json", without_simulation(contents_of(desk.path() / "results/result.json")));
  check_golden("iterations.csv", contents_of(desk.path() / "results/iterations.csv"));
  check_golden("trace.json", without_scenario_hash(contents_of(desk.path() / "results/trace.json")));
}

}  // namespace
}  // namespace starling
