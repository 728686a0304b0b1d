#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/commands/desk.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("collectives prints a table with a row for each size and the least time marked") {
  const Desk desk;
  const ProgramRun run =
      desk.starling("collectives scenario.json --bytes 8,1MiB --collectives ring,halving_doubling");
  CHECK(run.exit_code == 0);
  CHECK(run.error == "");
  CHECK(
      run.out.starts_with("two-algorithms: all-reduces of 4 workers, fair engine, transport nccl_tcp (not "
                          "given; latency between hosts is 10 us)\n\nbytes "));
  for (const char* row : {"\n8  ", "\n1,048,576  "}) {
    const std::size_t begin = run.out.find(row);
    REQUIRE(begin != std::string::npos);
    const std::string text = run.out.substr(begin + 1, run.out.find('\n', begin + 1) - begin - 1);
    CHECK(std::count(text.begin(), text.end(), '*') == 1);
  }
  CHECK(run.out.find("without hierarchical") == std::string::npos);

  const ProgramRun usual = desk.starling("collectives scenario.json --quiet");
  CHECK(usual.exit_code == 0);
  CHECK(usual.out.find("\n1,024 ") != std::string::npos);
  CHECK(usual.out.find("\n1,073,741,824 ") != std::string::npos);
  CHECK(usual.out.find("\nwithout hierarchical, which requires several hosts ") != std::string::npos);
}

TEST_CASE(
    "collectives --json prints a line for each all-reduce, under every engine the same for any number of "
    "jobs") {
  const Desk desk;
  for (const std::string engine : {"fair", "event", "tcp", "simgrid"}) {
    CAPTURE(engine);
    const std::string command =
        "collectives scenario.json --json --bytes 64KiB,4096 --collectives ring,double_tree --engine " +
        engine;
    const ProgramRun run = desk.starling(command + " --jobs 1");
    CAPTURE(run.error);
    CHECK(run.exit_code == 0);
    CHECK(desk.starling(command + " --jobs 2").out == run.out);
    std::istringstream lines(run.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      const auto all_reduce = nlohmann::ordered_json::parse(line);
      CHECK(all_reduce.begin().key() == "starling");
      CHECK(all_reduce.at("bytes") == (count < 2 ? 65536 : 4096));
      CHECK(all_reduce.at("collective") == (count % 2 == 0 ? "ring" : "double_tree"));
      const double bandwidth_Bps =
          all_reduce.at("bytes").get<double>() / all_reduce.at("time_s").get<double>();
      CHECK(all_reduce.at("algorithm_bandwidth_Bps").get<double>() == about(bandwidth_Bps));
      // nccl-tests' bus bandwidth: 2(P−1)/P = 1.5 times the algorithm bandwidth for P = 4.
      CHECK(all_reduce.at("bus_bandwidth_Bps").get<double>() == about(1.5 * bandwidth_Bps));
    }
    CHECK(count == 4);
  }
}

TEST_CASE("collectives warns of --set without an effect, but not of such values in the file") {
  const Desk desk;
  const std::string command = "collectives scenario.json --bytes 8 --collectives ring --set ";
  const ProgramRun usual = desk.starling(command + "/seed=1");
  CHECK(usual.exit_code == 0);
  CHECK(usual.error == "");
  for (const std::string option :
       {"/iterations=5", "/algorithms/0/collective=double_tree", "/workload/compute/forward=1s"}) {
    const ProgramRun run = desk.starling(command + option);
    CHECK(run.exit_code == 0);
    CHECK(run.out == usual.out);
    CHECK(run.error == "starling: warning: --set " + option +
                           ": has no effect: only the network of a scenario counts, its cluster, engine and "
                           "seed\n");
  }
}

TEST_CASE("collectives refuses wrong sizes, unknown collectives and a single worker") {
  const Desk desk;
  const auto error = [&](const std::string& options) {
    const ProgramRun run = desk.starling("collectives scenario.json " + options);
    CHECK(run.exit_code == 2);
    CHECK(run.out == "");
    return run.error;
  };
  CHECK(error("--bytes 0").starts_with("--bytes: out of range, got 0, expected a size such as "));
  CHECK(error("--bytes 1MiB,10") ==
        "--bytes: no whole number of floats, got 10, expected a multiple of 4 bytes\n");
  CHECK(error("--bytes 8K").starts_with("--bytes: unknown unit \"K\""));
  CHECK(error("--bytes 8,").starts_with("--bytes: does not start with a number, got \"\""));
  CHECK(error("--bytes 4KiB,8,4096")
            .starts_with("--bytes: a size appears twice, got 4096, expected each size"));
  CHECK(error("--collectives ring,ring") ==
        "starling: --collectives: \"ring\" appears twice; give each collective once\n");
  CHECK(error("--collectives ring,tree") ==
        "starling: --collectives: there is no collective \"tree\" (did you mean \"double_tree\"?); there are "
        "ring, recursive_doubling, halving_doubling, double_tree, hierarchical\n");
  CHECK(error("--collectives hierarchical").starts_with("--collectives: does not fit this cluster"));
  CHECK(error("--set /cluster/workers=1")
            .starts_with("--set /cluster/workers=1: /cluster/workers: a single worker has no all-reduce"));
  CHECK(error("--engine evnet").find("did you mean \"event\"?") != std::string::npos);
  CHECK(error("--jobs 0").find("--jobs") != std::string::npos);
}

}  // namespace
}  // namespace starling
