#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/results/files/folder_lock.hpp"
#include "tests/commands/desk.hpp"

namespace starling {
namespace {

/// A temporary folder with the scenario.json of two algorithms on four equal workers.
class FolderOfGains : public ScratchFolder {
 public:
  FolderOfGains() {
    write_file(path() / "scenario.json", R"json({
  "iterations": 4,
  "cluster": {"workers": 4, "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "40ms", "backward": "80ms"}},
  "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]
})json");
  }
  ProgramRun explain(const std::string& arguments) const {
    return run_program(path(), "model scenario.json --explain " + arguments);
  }
};

TEST_CASE("model --explain adds each algorithm's gain over all-reduce, and its parts") {
  const FolderOfGains folder;
  const ProgramRun table = folder.explain("--set /warmup_iterations=1");
  CAPTURE(table.error);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("\n\ngains over allreduce, ") != std::string::npos);
  const ProgramRun lines = folder.explain("--json --set /warmup_iterations=1");
  CHECK(std::count(lines.out.begin(), lines.out.end(), '\n') == 3);
  CHECK(lines.out.find("\"insensitivity\":") != std::string::npos);
}

TEST_CASE("model refuses a file that cannot be written before anything is predicted") {
  const FolderOfGains folder;
  std::filesystem::create_directories(folder.path() / "out" / "model.json");
  const ProgramRun run = run_program(folder.path(), "model scenario.json --out out --force");
  CHECK(run.exit_code == 2);
  CHECK(run.out.empty());
  CHECK(run.error.starts_with("--out: this file cannot be written (it is a folder), got out/model.json"));
}

TEST_CASE("model --explain needs a simulation and an all-reduce and refuses jobs") {
  const FolderOfGains folder;
  CHECK(folder.explain("--no-simulation").exit_code == 2);
  const ProgramRun without =
      folder.explain("--set /warmup_iterations=1 --set '/algorithms=[{\"kind\": \"ddp\"}]'");
  CHECK(without.exit_code == 2);
  CHECK(without.error.find("/algorithms: gains are explained relative to all-reduce") != std::string::npos);
  write_file(folder.path() / "jobs.json", R"json({"iterations": 4,
  "cluster": {"workers": 2, "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "jobs": [{"name": "one", "workers": 2, "algorithm": {"kind": "ddp"},
    "workload": {"model": "resnet50", "batch_size": 8,
                 "compute": {"forward": "4ms", "backward": "8ms"}}}]})json");
  const std::string refusal =
      "jobs.json: /jobs: several jobs can only be simulated, all of them together, expected ";
  for (const char* options : {"", " --explain"}) {
    const ProgramRun of_jobs = run_program(folder.path(), std::string("model jobs.json") + options);
    CHECK(of_jobs.exit_code == 2);
    CHECK(of_jobs.error.starts_with(refusal));
  }
}

TEST_CASE("The model is printed beside the simulation, or alone, and writes nothing") {
  const Desk desk;
  const ProgramRun beside = desk.starling("model scenario.json");
  CHECK(beside.exit_code == 0);
  CHECK(beside.error == "");
  CHECK(beside.out.starts_with(
      "two-algorithms: 4 workers, fair engine, 3 iterations after 1 to warm up\n\nalgorithm "));
  CHECK(beside.out.find(" 0 %         exact\n") != std::string::npos);
  const ProgramRun alone = desk.starling("model scenario.json --no-simulation --json --engine event");
  CHECK(alone.exit_code == 0);
  CHECK(std::count(alone.out.begin(), alone.out.end(), '\n') == 2);
  const auto line = nlohmann::json::parse(alone.out.substr(0, alone.out.find('\n')));
  CHECK(line["label"] == "allreduce");
  CHECK(line["model"]["validity"] == "estimate");  // finite send buffers under event make it an estimate
  CHECK(line["model"]["iteration_time_s"] > 0.12);
  CHECK(!line.contains("simulation"));
  CHECK(std::distance(std::filesystem::directory_iterator(desk.path()), {}) == 1);
}

TEST_CASE("An existing model.json is not replaced without --force") {
  const Desk desk;
  const std::string model = "model scenario.json --no-simulation --out models";
  REQUIRE(desk.starling(model).exit_code == 0);
  const std::string before = desk.text("models/model.json");
  const ProgramRun again = desk.starling(model + " --set /cluster/workers=2");
  CHECK(again.exit_code == 2);
  CHECK(again.error.starts_with("starling: models has a model.json already; --force replaces it"));
  CHECK(desk.text("models/model.json") == before);
  {
    const FolderLock lock(desk.path() / "models");
    const ProgramRun kept_out = desk.starling(model + " --force");
    CHECK(kept_out.exit_code == 2);
    CHECK(kept_out.error.find("another run is writing to this folder") != std::string::npos);
  }
  CHECK(desk.text("models/model.json") == before);
  CHECK(desk.starling(model + " --set /cluster/workers=2 --force").exit_code == 0);
  CHECK(desk.text("models/model.json") != before);
}

TEST_CASE("model refuses wrong arguments and wrong scenarios and several jobs") {
  const Desk desk;
  const auto refused = [&](const std::string& arguments, const std::string& because) {
    const ProgramRun run = desk.starling("model " + arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out == "");
    CAPTURE(run.error);
    CHECK(run.error.find(because) != std::string::npos);
  };
  refused("", "SCENARIO");
  refused("missing.json", "missing.json");
  refused("scenario.json --no-simulatoin", "--no-simulatoin");
  refused("scenario.json --engine magic", "magic");
  refused("scenario.json --set /cluster/workers=0", "/cluster/workers");
  write_file(desk.path() / "jobs.json", two_jobs);
  refused("jobs.json", "/jobs: several jobs can only be simulated");
}

}  // namespace
}  // namespace starling
