#include "commands/validate_command.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "analysis/validation/study_run.hpp"
#include "commands/shared/common_options.hpp"
#include "io/data_directory.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal/terminal.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

/// Puts a script in place of mpirun into PATH during its lifetime, and counts its calls.
class FakeMpirun {
 public:
  explicit FakeMpirun(const std::string& script) : path_(std::getenv("PATH")) {
    write_file(folder_.path() / "mpirun", "#!/bin/sh\necho called >> '" + calls().string() + "'\n" + script);
    ::chmod((folder_.path() / "mpirun").c_str(), 0755);
    write_file(calls(), "");
    ::setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
  }
  ~FakeMpirun() { ::setenv("PATH", path_.c_str(), 1); }
  FakeMpirun(const FakeMpirun&) = delete;
  FakeMpirun& operator=(const FakeMpirun&) = delete;

  std::int64_t times_called() const {
    const std::string text = contents_of(calls());
    return std::count(text.begin(), text.end(), '\n');
  }

 private:
  std::filesystem::path calls() const { return folder_.path() / "calls"; }

  ScratchFolder folder_;
  std::string path_;
};

/// A script that writes the prediction's result as the measurement.
const std::string perfect_measurement = R"(
for word; do [ "$before" = --out ] && out=$word; before=$word; done
mkdir -p "$out"
sed 's/^  "engine": "fair"/  "engine": "mpi"/' "$out/../predicted/result.json" > "$out/result.json"
)";

ValidationStudy study_of(const std::filesystem::path& scenario) {
  write_file(scenario, R"({"name": "small", "iterations": 3, "cluster": {"workers": 2,
      "network": {"kind": "star", "link": {"bandwidth": "1GBps", "latency": "1us"}}},
      "workload": {"model": "hyperplane_mlp", "batch_size": 1,
       "compute": {"forward": "1ms", "backward": "2ms"}},
      "algorithms": [{"kind": "allreduce"}, {"kind": "wfbp"}]})");
  ValidationStudy study;
  study.case_timeout_s = 600;
  study.cases = {{.scenario = scenario, .overrides = {}, .network = "ours", .imbalance = {}},
                 {.scenario = scenario, .overrides = {"/cluster/workers=4"}, .network = {}, .imbalance = {}}};
  return study;
}

TEST_CASE("A validation study predicts and measures every case, and measures none twice") {
  const ScratchFolder folder;
  const ValidationStudy study = study_of(folder.path() / "small.json");
  const FakeMpirun mpirun(perfect_measurement);
  for (int attempt = 0; attempt < 2; ++attempt) {
    ProgressLine progress(stderr, ProgressStyle::none);
    const Validation validation = run_study(study, folder.path() / "out", {}, progress);
    REQUIRE(validation.cases.size() == 4);
    CHECK(validation.cases[0].network == "ours");
    CHECK(validation.cases[0].workers == 2);
    CHECK(validation.cases[3].workers == 4);
    CHECK(validation.cases[3].label == "wfbp");
    CHECK(summary_of(validation.cases).worst_abs_error == 0);
    CHECK(validation.failed_cases == 0);
    CHECK(mpirun.times_called() == 2);
  }
  ProgressLine progress(stderr, ProgressStyle::none);
  const Validation other = run_study(study, folder.path() / "out", {"/engine=simgrid"}, progress);
  CHECK(other.cases[0].engine == "simgrid");
  CHECK(mpirun.times_called() == 2);
}

/// A script whose measured iterations take `first` seconds in the first measurement and `later` seconds in
/// others.
std::string measurements_of(const std::string& first, const std::string& later) {
  return perfect_measurement + "case $out in */measured) mean=" + first + " ;; *) mean=" + later + R"( ;; esac
sed -i -E "s/^( *\"mean\": )[0-9.e-]+/\1$mean/" "$out/result.json"
)";
}

TEST_CASE("A case outside the study's error band is measured again, and its fastest measurement counts") {
  const ScratchFolder folder;
  ValidationStudy study = study_of(folder.path() / "small.json");
  study.cases.resize(1);
  study.band = ErrorBand{.mean = 0.5, .worst = 0.5, .attempts = 3};
  const auto run = [&](const char* out) {
    ProgressLine progress(stderr, ProgressStyle::none);
    return run_study(study, folder.path() / out, {}, progress);
  };
  {
    const FakeMpirun mpirun(measurements_of("1", "0.00301"));
    for (int time = 0; time < 2; ++time) {  // the second study finds both measurements in the folder
      const Validation validation = run("disturbed");
      REQUIRE(validation.cases.size() == 2);
      for (const ValidationCase& one : validation.cases) CHECK(one.measured_s == 0.00301);
      REQUIRE(validation.warnings.size() == 1);
      CHECK(validation.warnings[0].starts_with("000-small: measured 2 times"));
      CHECK(mpirun.times_called() == 2);
    }
  }
  {
    const FakeMpirun mpirun(measurements_of("1", "2"));
    const Validation validation = run("wrong");
    for (const ValidationCase& one : validation.cases) CHECK(one.measured_s == 1);
    CHECK(mpirun.times_called() == 3);
  }
  {
    const FakeMpirun mpirun("case \"$*\" in *measured-2*) exit 3 ;; esac\n" +
                            measurements_of("1", "0.00301"));
    const Validation validation = run("failing");
    CHECK(validation.failed_cases == 0);
    for (const ValidationCase& one : validation.cases) CHECK(one.measured_s == 0.00301);
    REQUIRE(validation.warnings.size() == 2);
    CHECK(validation.warnings[0].starts_with("000-small: attempt 2: failed; see "));
    CHECK(validation.warnings[1].starts_with("000-small: measured 3 times, as the first errors (mean 99."));
  }
  const FakeMpirun mpirun(measurements_of("0.00301", "1"));
  CHECK(run("right").warnings.empty());
  CHECK(mpirun.times_called() == 1);
}

TEST_CASE("A scenario's name does not lead out of the study's folder") {
  const ScratchFolder folder;
  ValidationStudy study = study_of(folder.path() / "small.json");
  study.cases.resize(1);
  study.cases[0].overrides = {R"(/name="x/../../../../ESCAPED")"};
  const FakeMpirun mpirun(perfect_measurement);
  ProgressLine progress(stderr, ProgressStyle::none);
  run_study(study, folder.path() / "a" / "out", {}, progress);
  CHECK(
      std::filesystem::exists(folder.path() / "a/out/cases/000-x_.._.._.._.._ESCAPED/measured/result.json"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "ESCAPED"));
}

TEST_CASE("A case that fails is left out and a case that hangs is ended by its timeout") {
  const ScratchFolder folder;
  ValidationStudy study = study_of(folder.path() / "small.json");
  {
    const FakeMpirun mpirun("[ $2 = 2 ] && exit 3\n" + perfect_measurement);
    ProgressLine progress(stderr, ProgressStyle::none);
    const Validation validation = run_study(study, folder.path() / "out", {}, progress);
    CHECK(validation.cases.size() == 2);
    CHECK(validation.failed_cases == 1);
    REQUIRE(validation.warnings.size() == 1);
    CHECK(validation.warnings[0].starts_with("000-small: failed; see "));
  }
  const FakeMpirun mpirun("exec sleep 100");
  study.cases.resize(1);
  study.case_timeout_s = 0.1;
  ProgressLine progress(stderr, ProgressStyle::none);
  CHECK_THROWS_WITH_AS(
      run_study(study, folder.path() / "out", {}, progress),
      "no case could be measured; the first error: 000-small: exceeded its time limit (case_timeout)",
      std::runtime_error);
}

TEST_CASE("A validation study reports a missing program, and a late switch each time it is read") {
  const ScratchFolder folder;
  ValidationStudy study = study_of(folder.path() / "small.json");
  study.cases.resize(1);
  {
    const FakeMpirun mpirun("exit 127");
    ProgressLine progress(stderr, ProgressStyle::none);
    CHECK_THROWS_WITH_AS(
        run_study(study, folder.path() / "out", {}, progress),
        fmt::format("no case could be measured; the first error: 000-small: a program was not found; see {}",
                    (folder.path() / "out/cases/000-small/measured.log").string())
            .c_str(),
        std::runtime_error);
  }
  const FakeMpirun mpirun("echo 'warning: the switch forwarded frames late'\n" + perfect_measurement);
  for (int attempt = 0; attempt < 2; ++attempt) {
    ProgressLine progress(stderr, ProgressStyle::none);
    const Validation validation = run_study(study, folder.path() / "out", {}, progress);
    CHECK(validation.warnings == std::vector<std::string>{"000-small: the switch forwarded frames late"});
  }
  CHECK(mpirun.times_called() == 1);
}

TEST_CASE("Errors in a case's scenario name the case, before anything is measured") {
  const ScratchFolder folder;
  const std::filesystem::path scenario = folder.path() / "small.json";
  ValidationStudy study = study_of(scenario);
  std::string text = contents_of(scenario);
  const std::string wfbp = "wfbp";
  write_file(scenario, text.replace(text.find(wfbp), wfbp.size(), "eager_solo"));
  const FakeMpirun mpirun(perfect_measurement);
  const auto problem = [&](const std::string& change) {
    study.cases[1].overrides = {change};
    study.cases[1].study = "study.json";
    study.cases[1].place = "/cases/1";
    ProgressLine progress(stderr, ProgressStyle::none);
    try {
      run_study(study, folder.path() / "out", {}, progress);
    } catch (const ScenarioError& error) {
      return error.description().place + ": " + error.description().problem;
    }
    return std::string();
  };
  const std::string because = " (as study.json: /cases/1 changes it)";
  CHECK(problem("/cluster/workers=3") ==
        "/algorithms/1: eager_solo: workers is 3; it must be a power of two" + because);
  CHECK(problem(R"(/iterations={"standard_error": 0.01})") ==
        "/iterations: a measurement needs a number of iterations" + because);
  CHECK(mpirun.times_called() == 0);
}

/// The error of running a study; empty if there is none.
std::string refusal(const ValidationStudy& study, const std::filesystem::path& folder) {
  ProgressLine progress(stderr, ProgressStyle::none);
  try {
    run_study(study, folder, {}, progress);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("A measurement of an edited case or of another model is refused with the folder to remove") {
  const ScratchFolder folder;
  const std::filesystem::path out = folder.path() / "out";
  const auto write_model = [&](const char* elements) {
    write_file(folder.path() / "own.model.json",
               R"({"name": "own", "layers": [{"name": "a", "forward_flops_per_sample": 1000,
                   "tensors": [{"name": "w", "elements": )" +
                   std::string(elements) + "}]}]}");
  };
  ValidationStudy study = study_of(folder.path() / "small.json");
  study.cases.resize(1);
  study.cases[0].overrides = {"/workload/model=own.model.json"};
  const FakeMpirun mpirun(perfect_measurement);
  write_model("5000");
  CHECK(refusal(study, out) == "");
  CHECK(refusal(study, out) == "");
  CHECK(mpirun.times_called() == 1);

  const std::string remedy = "; to measure it again, remove " + (out / "cases/000-small/measured").string() +
                             " and repeat the command";
  write_model("6000");
  const std::string other_model = refusal(study, out);
  CHECK(other_model.find("contents of own.model.json were different when this was measured") !=
        std::string::npos);
  CHECK(other_model.ends_with(remedy));
  write_model("5000");
  CHECK(refusal(study, out) == "");

  study.cases[0].overrides.emplace_back("/cluster/network/link/latency=2ms");
  const std::string edited = refusal(study, out);
  CHECK(edited.find("a case that the study no longer has: /cluster/network/link/latency is 0.002 in the "
                    "prediction and ") != std::string::npos);
  CHECK(edited.ends_with(remedy));

  std::filesystem::remove_all(out / "cases/000-small/measured");
  CHECK(refusal(study, out) == "");
  write_file(out / "cases/000-small/measured/result.json", "{");
  CHECK(refusal(study, out).ends_with(remedy));
  CHECK(mpirun.times_called() == 2);
}

TEST_CASE("The error of reordered cases says which case a folder's measurement belongs to") {
  const ScratchFolder folder;
  ValidationStudy study = study_of(folder.path() / "small.json");
  const FakeMpirun mpirun(perfect_measurement);
  CHECK(refusal(study, folder.path() / "out") == "");
  std::swap(study.cases[0], study.cases[1]);
  CHECK(refusal(study, folder.path() / "out")
            .find("000-small: its folder has the measurement of the present case 2 of the study: "
                  "/cluster/workers is 4 in the prediction and 2 in the measurement") != std::string::npos);
}

TEST_CASE("A measurement without a scenario hash is used, with a warning") {
  const ScratchFolder folder;
  const ValidationStudy study = study_of(folder.path() / "small.json");
  const FakeMpirun mpirun(perfect_measurement + "sed -i '/scenario_hash/d' \"$out/result.json\"\n");
  CHECK(refusal(study, folder.path() / "out") == "");
  ProgressLine progress(stderr, ProgressStyle::none);
  const Validation validation = run_study(study, folder.path() / "out", {}, progress);
  CHECK(validation.cases.size() == 4);
  REQUIRE(validation.warnings.size() == 2);
  CHECK(
      validation.warnings[0].starts_with("000-small: the existing measurement does not record "
                                         "whether hyperplane_mlp"));
  CHECK(mpirun.times_called() == 2);
}

TEST_CASE("A testbed study warns of cases whose rates exceed what the switch keeps on two cores") {
  const ScratchFolder folder;
  ValidationStudy study = study_of(folder.path() / "small.json");
  CHECK(total_rate_warnings(study).empty());
  study.launcher = Launcher::testbed;
  study.cases[0].overrides = {"/cluster/network/link/bandwidth=1Gbps"};
  study.cases[1].overrides.push_back("/cluster/network/link/bandwidth=1Gbps");
  CHECK(total_rate_warnings(study) ==
        std::vector<std::string>{
            "1 of 2 cases, of which case 2 is the first: all hosts together can send 4 Gbps; on two "
            "cores the switch sustains 3 Gbps"});
}

TEST_CASE("validate of a study needs --out and no results, and a comparison needs two results") {
  CHECK_THROWS_AS(validate_command({}), UsageError);
  CHECK_THROWS_AS(validate_command({.predicted = "a"}), UsageError);
  CHECK_THROWS_AS(validate_command({.study = "study.json"}), UsageError);
  CHECK_THROWS_AS(validate_command({.predicted = "a", .study = "study.json", .out = "out"}), UsageError);
}

TEST_CASE("All scenarios of shipped validation studies can be read, and study.json has at least 60 cases") {
  const auto folder = data_directory() / "scenarios" / "validation";
  for (const char* name : {"study.json", "large.json", "ci.json", "ci_testbed.json"}) {
    CAPTURE(name);
    std::size_t algorithms = 0;
    for (const StudyCase& one : read_validation_study(folder / name).cases)
      algorithms += read_scenario(one.scenario, one.overrides).algorithms.size();
    CHECK(algorithms >= (std::string(name) == "study.json" ? 60 : 5));
  }
}

}  // namespace
}  // namespace starling
