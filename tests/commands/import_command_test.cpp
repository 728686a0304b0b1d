#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "io/json/json_text.hpp"
#include "tests/analysis/running/program.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// A temporary folder with a network and a workload in ASTRA-sim's formats.
class ForeignFolder : public ScratchFolder {
 public:
  ForeignFolder() {
    write_file(path() / "switch.yml",
               "topology: [ Switch ]\nnpus_count: [ 2 ]\nbandwidth: [ 1.0 ]\nlatency: [ 1000.0 ]\n");
    write_file(path() / "two.txt",
               "DATA\n2\n"
               "first -1 1000000 NONE 0 900000 NONE 0 2000000 ALLREDUCE 4000000 1\n"
               "second -1 3000000 NONE 0 5000000 NONE 0 4000000 ALLREDUCE 8000000 1\n");
  }
  ProgramRun starling(const std::string& arguments) const { return run_program(path(), arguments); }
  json run(const std::string& algorithms) const {
    write_file(
        path() / "scenario.json",
        R"({"iterations": 3, "cluster": {"file": "cluster.json", "transport": "ideal"}, "workload": )" +
            contents_of(path() / "workload.json") + R"(, "algorithms": )" + algorithms + "}");
    const ProgramRun run = starling("run scenario.json --print-result");
    CAPTURE(run.error);
    REQUIRE(run.exit_code == 0);
    return json::parse(run.out)["runs"];
  }
};

TEST_CASE("An imported network and workload run, and take the times of closed forms") {
  const ForeignFolder folder;
  const ProgramRun network = folder.starling("import astra-sim-network switch.yml");
  CHECK(network.exit_code == 0);
  CHECK(network.error.find("2^30 bytes") != std::string::npos);
  write_file(folder.path() / "cluster.json", network.out);
  const ProgramRun workload = folder.starling("import astra-sim-workload two.txt --out . --batch-size 8");
  CAPTURE(workload.error);
  REQUIRE(workload.exit_code == 0);
  write_file(folder.path() / "workload.json", json::parse(workload.out)["workload"].dump());

  // A ring of two workers sends half of the gradients twice, over two links of 1 µs each. ASTRA-sim's 1 GB/s
  // are 2^30 bytes per second.
  const auto allreduce_s = [](double bytes) { return 2 * (2e-6 + bytes / 2 / (1024.0 * 1024 * 1024)); };
  const json runs = folder.run(R"([{"kind": "allreduce"}, {"kind": "wfbp"}])");
  CHECK(runs[0]["iteration_time_s"]["mean"].get<double>() == about(15e-3 + allreduce_s(12e6)));
  // By WFBP the second layer's gradients are ready 4 ms after the forward pass of 4 ms, those of the first
  // layer after 11 ms.
  CHECK(runs[1]["iteration_time_s"]["mean"].get<double>() ==
        about(4e-3 + std::max(4e-3 + allreduce_s(8e6), 11e-3) + allreduce_s(4e6)));
}

TEST_CASE("import refuses wrong files and options, and writes nothing then") {
  const ForeignFolder folder;
  const auto error_of = [&](const std::string& arguments) {
    const ProgramRun run = folder.starling("import " + arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    return run.error;
  };
  CHECK(error_of("astra-sim-networks switch.yml").find("did you mean \"astra-sim-network\"?") !=
        std::string::npos);
  CHECK(error_of("simai-topology none").find("none: ") != std::string::npos);
  CHECK(error_of("simai-topology switch.yml").find("switch.yml: line 1: the number of nodes is invalid") !=
        std::string::npos);
  CHECK(
      error_of("astra-sim-workload two.txt").find("--out is missing: a workload also consists of 2 files") !=
      std::string::npos);
  CHECK(error_of("astra-sim-workload two.txt --out . --batch-size 0").find("--batch-size: 0 is out of") !=
        std::string::npos);
  CHECK(error_of("astra-sim-network switch.yml --out .").find("a network is printed completely") !=
        std::string::npos);
  write_file(folder.path() / "apart", "3 1 0 1 1 H100\n2\n0 2 9Gbps 1us 0\n");
  CHECK(error_of("simai-topology apart").find("apart, imported: /network") != std::string::npos);

  CHECK(folder.starling("import astra-sim-workload two.txt --out here").exit_code == 0);
  const std::string model = contents_of(folder.path() / "here" / "two.model.json");
  CHECK(error_of("astra-sim-workload two.txt --out here --batch-size 2").find("is not replaced") !=
        std::string::npos);
  CHECK(contents_of(folder.path() / "here" / "two.model.json") == model);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "two.model.json"));
}

TEST_CASE("A file to import may come from standard input") {
  const ForeignFolder folder;
  const ProgramRun run = folder.starling("import astra-sim-network - < switch.yml");
  CHECK(run.exit_code == 0);
  CHECK(json::parse(run.out)["cluster"]["network"]["kind"] == "star");
}

}  // namespace
}  // namespace starling
