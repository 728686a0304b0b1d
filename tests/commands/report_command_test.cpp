#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/analysis/running/program.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

constexpr const char* reported_scenario = R"json({
  "iterations": 3, "warmup_iterations": 1,
  "cluster": {"workers": 2, "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "40ms", "backward": "80ms"}},
  "algorithms": [{"kind": "allreduce"}]
})json";

const std::string accepted =
    ", expected a folder that starling run, native, sweep, design, regimes or model --out has written, or "
    "its result.json, sweep.sqlite, design.json, regimes.json or model.json\n";

/// A temporary folder with a finished result in run/.
class ReportDesk : public ScratchFolder {
 public:
  ReportDesk() {
    write("scenario.json", reported_scenario);
    REQUIRE(starling("run scenario.json --out run --quiet").exit_code == 0);
  }
  ProgramRun starling(const std::string& arguments) const { return run_program(path(), arguments); }
  /// The error of `starling report`, which must have the exit code 2 and write no page.
  std::string refusal(const std::string& arguments) const {
    const ProgramRun run = starling("report " + arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out == "");
    CHECK_FALSE(std::filesystem::exists(path() / "run" / "report.html"));
    return run.error;
  }
};

TEST_CASE("report of a missing or empty folder says what it accepts") {
  const ReportDesk desk;
  std::filesystem::create_directories(desk.path() / "empty");
  CHECK(desk.refusal("nowhere") == "nowhere: there is no such file or folder" + accepted);
  CHECK(desk.refusal("empty") == "empty: there is nothing to report in this folder" + accepted);
}

TEST_CASE("report of an unfinished run says so") {
  const ReportDesk desk;
  desk.write("half/result.partial.json", "{}");
  CHECK(desk.refusal("half") ==
        "half: the run that writes here has not finished, expected a folder that `starling run --out` or "
        "`starling native --out` has written\n");
}

TEST_CASE("report of an unfinished map or of a reproduction says what to do instead") {
  const ReportDesk desk;
  desk.write("map/regimes_points.jsonl", "");
  desk.write("reproduction/reproduce.json", "{}");
  CHECK(desk.refusal("map") ==
        "map: starling regimes, which writes to this folder, has not finished, expected the same command "
        "again, which continues from the finished points\n");
  CHECK(desk.refusal("reproduction") ==
        "reproduction: a reproduction has no report page, got reproduce.json, expected its picture "
        "reproduce.svg, or the same command again, which continues from there\n");
}

TEST_CASE("report of a result of another version warns, or names the version in its error") {
  const ReportDesk desk;
  const std::string own =
      nlohmann::json::parse(contents_of(desk.path() / "run" / "result.json")).at("starling");
  const auto write_old = [&](const std::string& file, nlohmann::json document) {
    document["starling"] = "0.0.1";
    desk.write(file, document.dump());
  };
  write_old("old/result.json", nlohmann::json::parse(contents_of(desk.path() / "run" / "result.json")));
  for (const char* command : {"report old", "compare run old"}) {
    const ProgramRun run = desk.starling(command);
    CHECK(run.exit_code == 0);
    CHECK(run.error.find("written by starling 0.0.1, and this is " + own) != std::string::npos);
  }
  write_old("map/regimes.json", {{"name", "a map"}});
  CHECK(desk.refusal("map") ==
        "map/regimes.json: not of the expected form: key 'workers' not found (written by starling "
        "0.0.1, and this is " +
            own + "), expected what starling regimes writes\n");
  CHECK(desk.starling("report run").error.find("written by") == std::string::npos);
}

TEST_CASE("report of another file says what the file is") {
  const ReportDesk desk;
  desk.write("notes.txt", "hello");
  desk.write("other/result.json", "[1, 2]");
  desk.write("map/regimes.json", R"({"name": "a map"})");
  desk.write("store/sweep.sqlite", "no database, whatever its name says, but long enough to be looked at");
  const std::string of_run = ", expected what `starling run --out` or `starling native --out` has written\n";
  CHECK(desk.refusal("scenario.json") ==
        "scenario.json: this is not the result of a run, got an object with the keys algorithms, cluster, "
        "iterations, warmup_iterations, workload" +
            of_run);
  CHECK(desk.refusal("other") == "other/result.json: this is not the result of a run, got array" + of_run);
  CHECK(desk.refusal("notes.txt") == "notes.txt: line 1, column 1: syntax error: invalid literal" + accepted);
  CHECK(desk.refusal("map") ==
        "map/regimes.json: not of the expected form: key 'workers' not found, expected what "
        "starling regimes writes\n");
  CHECK(desk.refusal("store").starts_with(
      "store/sweep.sqlite: this file is not a store of starling sweep, expected "));
}

TEST_CASE("report of malformed JSON gives line and column") {
  const ReportDesk desk;
  desk.write("broken/result.json", "{\n  \"starling\": ");
  CHECK(desk.refusal("broken") ==
        "broken/result.json: line 2, column 15: syntax error, got end of input, expected '[', '{', or a "
        "literal\n");
}

TEST_CASE("report of a result without a key gives the place of the error") {
  const ReportDesk desk;
  std::string result = contents_of(desk.path() / "run" / "result.json");
  const std::string key = "\"breakdown_s\"";
  result.replace(result.find(key), key.size(), "\"breakdown\"");
  desk.write("changed/result.json", result);
  const std::string refusal = desk.refusal("changed");
  CHECK(refusal.starts_with("changed/result.json: /runs/0: does not meet the schema: "));
  CHECK(refusal.find("breakdown") != std::string::npos);
  CHECK(refusal.ends_with(accepted));
}

TEST_CASE("report replaces only reports, and refuses wrong places before anything is written") {
  const ReportDesk desk;
  desk.write("mine.html", "<title>My own page</title>");
  std::filesystem::create_directories(desk.path() / "folder.html");
  CHECK(desk.refusal("run --out mine.html") ==
        "--out: this file exists and is not a report, got mine.html, expected another name, or the "
        "report to replace\n");
  CHECK(desk.refusal("run --out scenario.json") ==
        "--out: this is not the name of an HTML file, got scenario.json, expected a file whose name ends in "
        ".html\n");
  CHECK(desk.refusal("run --out folder.html") ==
        "--out: this is a folder, got folder.html, expected a file in it\n");
  CHECK(desk.refusal("run --out none/page.html") ==
        "--out: the folder of this file does not exist, got none/page.html, expected a folder that exists\n");
  CHECK(contents_of(desk.path() / "mine.html") == "<title>My own page</title>");
  CHECK(contents_of(desk.path() / "scenario.json") == reported_scenario);

  CHECK(desk.starling("report run --out page.html").exit_code == 0);
  CHECK(desk.starling("report run --out page.html").exit_code == 0);
  CHECK(desk.starling("report run").exit_code == 0);
  CHECK(contents_of(desk.path() / "page.html") == contents_of(desk.path() / "run" / "report.html"));
}

}  // namespace
}  // namespace starling
