#include <doctest/doctest.h>

#include <string>

#include "tests/commands/desk.hpp"

namespace starling {
namespace {

TEST_CASE("Candidates whose runs exceed --run-limit have failed, and are run again") {
  const Desk desk;
  write_file(desk.path() / "study.json", R"({"base": "scenario.json",
    "families": [{"name": "star", "vary": [{"/cluster/network/link/bandwidth": ["10Gbps", "100Gbps"]}]}]})");
  const ProgramRun limited = desk.starling("design study.json --out results --run-limit 1ms");
  CHECK(limited.exit_code == 1);
  CHECK(limited.error.find(" failed: starling: exceeded --run-limit 1ms\n") != std::string::npos);
  CHECK(desk.text("results/design.json").find("exceeded --run-limit 1ms") != std::string::npos);
  CHECK(desk.starling("design study.json --out results --run-limit 1h").exit_code == 0);
}

TEST_CASE("design prints its answer, and keeps its runs") {
  const Desk desk;
  write_file(desk.path() / "study.json", R"({"base": "scenario.json", "target": "10s",
    "families": [{"name": "star", "vary": [{"/cluster/network/link/bandwidth": ["10Gbps", "100Gbps"]}]}]})");
  const ProgramRun run = desk.starling("design study.json --jobs 1 --out results");
  CAPTURE(run.error);
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("The cheapest network that reaches 10.00 s: star, bandwidth=10Gbps with ") !=
        std::string::npos);
  CHECK(run.out.find("costs more than a network that reaches the target") != std::string::npos);
  CHECK(run.error.find("transport nccl_tcp, chosen as none is given\n") != std::string::npos);
  CHECK(desk.text("results/design.csv").starts_with("candidate,family,"));
  CHECK(desk.text("results/design.svg").find("Pareto front") != std::string::npos);
  const std::string document = desk.text("results/design.json");
  const ProgramRun again = desk.starling("design study.json --jobs 1 --out results --json");
  CHECK(again.out == document);
  CHECK(again.error == "");
  const ProgramRun quiet = desk.starling("design study.json --jobs 1 --out results --quiet");
  CHECK(quiet.out == run.out);
  CHECK(quiet.error == "");
  CHECK(desk.starling("design study.json --jobs 1 --out results --set /budget=1").exit_code == 1);
  CHECK_FALSE(desk.has("results/design.svg"));  // the picture of another answer is removed
  CHECK(desk.starling("design study.json").exit_code == 2);
  CHECK(desk.starling("design study.json --out results --set /target=fast").exit_code == 2);
  CHECK(desk.starling("design scenario.json --out results").exit_code == 2);
  CHECK(desk.starling("design study.json --out other --set /budget=1").exit_code == 1);
  const ProgramRun run_there = desk.starling("run scenario.json --out results --force");
  CHECK(run_there.exit_code == 2);
  CHECK(run_there.error.find("--out: another command's sweep.sqlite is in this folder, got results") !=
        std::string::npos);
  CHECK(!desk.has("results/result.json"));
}

TEST_CASE("A warning that applies to all candidates of a design study is given once") {
  const Desk desk;
  write_file(desk.path() / "study.json", R"({"base": "scenario.json", "families": [{"name": "star",
    "set": {"/workload/imbalance": {"kind": "pause", "worker": 0, "iteration": 1000, "duration": "1s"}},
    "vary": [{"/cluster/network/link/bandwidth": ["10Gbps", "100Gbps"]}]}]})");
  const std::string error = desk.starling("design study.json --jobs 1 --all --out results").error;
  const std::size_t first = error.find("/workload/imbalance: ");
  REQUIRE(first != std::string::npos);
  CHECK(error.find("/workload/imbalance: ", first + 1) == std::string::npos);
}

}  // namespace
}  // namespace starling
