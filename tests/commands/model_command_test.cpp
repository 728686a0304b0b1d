#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/analysis/running/program.hpp"

namespace starling {
namespace {

/// A folder with scenario.json in it.
class FolderOfGains : public TemporaryFolder {
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

TEST_CASE("With --explain the model is followed by what each algorithm gains, and by what") {
  const FolderOfGains folder;
  const ProgramRun table = folder.explain("--set /warmup_iterations=1");
  CAPTURE(table.error);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("\n\ngains over allreduce, ") != std::string::npos);
  const ProgramRun lines = folder.explain("--json --set /warmup_iterations=1");
  CHECK(std::count(lines.out.begin(), lines.out.end(), '\n') == 3);
  CHECK(lines.out.find("\"insensitivity\":") != std::string::npos);
}

TEST_CASE("What cannot be written is told before anything is predicted") {
  const FolderOfGains folder;
  std::filesystem::create_directories(folder.path() / "out" / "model.json");
  const ProgramRun run = run_program(folder.path(), "model scenario.json --out out --force");
  CHECK(run.exit_code == 2);
  CHECK(run.out.empty());
  CHECK(run.error.starts_with("--out: this file cannot be written (it is a folder), got out/model.json"));
}

TEST_CASE("Gains are explained where there is a simulation and an all-reduce") {
  const FolderOfGains folder;
  CHECK(folder.explain("--no-simulation").exit_code == 2);
  const ProgramRun without =
      folder.explain("--set /warmup_iterations=1 --set '/algorithms=[{\"kind\": \"ddp\"}]'");
  CHECK(without.exit_code == 2);
  CHECK(without.error.find("/algorithms: gains are explained over all-reduce") != std::string::npos);
  write_file(folder.path() / "jobs.json", R"json({"iterations": 4,
  "cluster": {"workers": 2, "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "jobs": [{"name": "one", "workers": 2, "algorithm": {"kind": "ddp"},
    "workload": {"model": "resnet50", "batch_size": 8,
                 "compute": {"forward": "4ms", "backward": "8ms"}}}]})json");
  const std::string refusal = "jobs.json: /jobs: several jobs are simulated only, and all at once, expected ";
  for (const char* options : {"", " --explain"}) {
    const ProgramRun of_jobs = run_program(folder.path(), std::string("model jobs.json") + options);
    CHECK(of_jobs.exit_code == 2);
    CHECK(of_jobs.error.starts_with(refusal));
  }
}

}  // namespace
}  // namespace starling
