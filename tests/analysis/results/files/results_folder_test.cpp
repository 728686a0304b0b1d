#include "analysis/results/files/results_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "analysis/results/files/result_json.hpp"
#include "io/scenario_error.hpp"
#include "tests/analysis/results/hand_made_results.hpp"
#include "trace_checks.hpp"

namespace starling {
namespace {

using Names = std::vector<std::string>;

Names files_in(const std::filesystem::path& folder) {
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("A results folder is created with its parent folders") {
  const ScratchFolder temporary;
  ResultsFolder folder(temporary.path() / "a" / "b");
  folder.save(hand_made_result(), two_workers_log(), 1);
  folder.finish(hand_made_result());
  CHECK(files_in(temporary.path() / "a" / "b") == Names{"iterations.csv", "result.json"});
  CHECK(contents_of(folder.result_path()) == result_json_text(hand_made_result()));
}

TEST_CASE("Finished runs are on disk in partial files while others are still running") {
  const ScratchFolder temporary;
  ResultsFolder folder(temporary.path());
  folder.add_trace(2);
  folder.save(hand_made_result(), two_workers_log(), 1);
  CHECK(files_in(temporary.path()) ==
        Names{"iterations.partial.csv", "result.partial.json", "trace.partial.json"});
  CHECK(contents_of(temporary.path() / "result.partial.json") == result_json_text(hand_made_result()));
  const std::string rows = contents_of(temporary.path() / "iterations.partial.csv");
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 7);  // a header, and two workers times three iterations
}

TEST_CASE("At the end the partial files are renamed to their final names") {
  const ScratchFolder temporary;
  ResultsFolder folder(temporary.path());
  folder.add_trace(1);
  folder.save(hand_made_result(), two_workers_log(), 1);
  folder.finish(hand_made_result());
  CHECK(files_in(temporary.path()) == Names{"iterations.csv", "result.json", "trace.json"});
}

TEST_CASE("A timeline has the hash of its scenario") {
  const ScratchFolder temporary;
  ResultsFolder folder(temporary.path(), {.scenario_hash = "abc"});
  folder.add_trace(1);
  folder.save(hand_made_result(), two_workers_log(), 1);
  folder.finish(hand_made_result());
  CHECK(contents_of(temporary.path() / "trace.json") ==
        R"({"displayTimeUnit":"ms","otherData":{"scenario_hash":"abc"},"traceEvents":[)"
        "\n]}\n");
}

TEST_CASE("Learning is written to learning.csv") {
  const ScratchFolder temporary;
  ResultsFolder folder(temporary.path());
  Result result = hand_made_result();
  result.runs[0].learning = hand_made_learning();
  folder.save(result, two_workers_log(), 1);
  CHECK(files_in(temporary.path()) ==
        Names{"iterations.partial.csv", "learning.partial.csv", "result.partial.json"});
  folder.finish(result);
  CHECK(files_in(temporary.path()) == Names{"iterations.csv", "learning.csv", "result.json"});
  const std::string rows = contents_of(temporary.path() / "learning.csv");
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 4);  // a header and three evaluations
}

TEST_CASE("Leftovers of an unfinished run are replaced") {
  const ScratchFolder temporary;
  write_file(temporary.path() / "result.partial.json", "half");
  write_file(temporary.path() / "trace.partial.json", "half");
  ResultsFolder folder(temporary.path());
  folder.save(hand_made_result(), two_workers_log(), 1);
  folder.finish(hand_made_result());
  CHECK(files_in(temporary.path()) == Names{"iterations.csv", "result.json"});
}

TEST_CASE("A run that was killed while its files were renamed counts as unfinished") {
  const ScratchFolder temporary;
  write_file(temporary.path() / "iterations.csv", "of the killed run");
  write_file(temporary.path() / "result.partial.json", "of the killed run");
  ResultsFolder folder(temporary.path());
  folder.save(hand_made_result(), two_workers_log(), 1);
  folder.finish(hand_made_result());
  CHECK(files_in(temporary.path()) == Names{"iterations.csv", "result.json"});
  CHECK(contents_of(temporary.path() / "iterations.csv").starts_with("run,label,"));
}

TEST_CASE("Files derived from a result are removed if a killed run was replacing it; otherwise they stay") {
  for (const bool was_killed : {true, false}) {
    const ScratchFolder temporary;
    for (const char* name : {"sensitivity.json", "model.json", "report.html"})
      write_file(temporary.path() / name, "of another scenario");
    if (was_killed) write_file(temporary.path() / "result.partial.json", "of the killed run");
    ResultsFolder folder(temporary.path());
    folder.save(hand_made_result(), two_workers_log(), 1);
    folder.finish(hand_made_result());
    const Names of_run{"iterations.csv", "result.json"};
    const Names all{"iterations.csv", "model.json", "report.html", "result.json", "sensitivity.json"};
    CHECK(files_in(temporary.path()) == (was_killed ? of_run : all));
  }
}

TEST_CASE("Nothing is written over a finished result") {
  for (const char* name : {"result.json", "iterations.csv", "trace.json"}) {
    const ScratchFolder temporary;
    const std::filesystem::path file = temporary.path() / name;
    write_file(file, "precious");
    const std::string problem =
        name == std::string("result.json")
            ? "a finished result is here already"
            : "a file of this name exists already, and was not left by an unfinished run";
    const std::string remedy =
        name == std::string("result.json")
            ? ", expected another folder, --resume to leave it as it is, or --force to replace it"
            : ", expected another folder, or this one after you have moved its files away";
    CHECK_THROWS_WITH_AS(ResultsFolder{temporary.path()},
                         ("--out: " + problem + ", got " + file.string() + remedy).c_str(), ScenarioError);
    CHECK(contents_of(file) == "precious");
    CHECK(files_in(temporary.path()) == Names{name});
  }
}

TEST_CASE("With may_replace the old result stays until the new one is complete") {
  const ScratchFolder temporary;
  write_file(temporary.path() / "result.json", "old");
  write_file(temporary.path() / "trace.json", "old");
  {
    ResultsFolder folder(temporary.path(), {.may_replace = true});
    folder.save(hand_made_result(), two_workers_log(), 1);
    CHECK(contents_of(temporary.path() / "result.json") == "old");
  }
  CHECK(contents_of(temporary.path() / "result.json") == "old");
  ResultsFolder folder(temporary.path(), {.may_replace = true});
  folder.save(hand_made_result(), two_workers_log(), 1);
  folder.finish(hand_made_result());
  CHECK(files_in(temporary.path()) == Names{"iterations.csv", "result.json"});
  CHECK(contents_of(temporary.path() / "result.json") != "old");
}

TEST_CASE("Two runs do not write to one folder") {
  const ScratchFolder temporary;
  ResultsFolder folder(temporary.path());
  folder.save(hand_made_result(), two_workers_log(), 1);
  CHECK_THROWS_WITH_AS(ResultsFolder{temporary.path()},
                       ("--out: another run is writing to this folder, got " + temporary.path().string() +
                        ", expected another folder, or this one after that run has ended")
                           .c_str(),
                       ScenarioError);
  folder.finish(hand_made_result());
  CHECK(files_in(temporary.path()) == Names{"iterations.csv", "result.json"});
}

TEST_CASE("A symbolic link in place of a partial file is not followed") {
  const ScratchFolder temporary;
  const ScratchFolder elsewhere;
  write_file(elsewhere.path() / "victim", "precious");
  std::filesystem::create_symlink(elsewhere.path() / "victim", temporary.path() / "iterations.partial.csv");
  ResultsFolder folder(temporary.path());
  folder.save(hand_made_result(), two_workers_log(), 1);
  folder.finish(hand_made_result());
  CHECK(contents_of(elsewhere.path() / "victim") == "precious");
}

TEST_CASE("Nothing is written over a result that was finished meanwhile") {
  const ScratchFolder temporary;
  ResultsFolder folder(temporary.path());
  folder.save(hand_made_result(), two_workers_log(), 1);
  write_file(temporary.path() / "result.json", "precious");
  CHECK_THROWS_AS(folder.finish(hand_made_result()), std::system_error);
  CHECK(contents_of(temporary.path() / "result.json") == "precious");
}

TEST_CASE("A run that fails before anything is finished leaves no folder behind") {
  const ScratchFolder temporary;
  { ResultsFolder folder(temporary.path() / "results"); }
  CHECK(files_in(temporary.path()).empty());
  { ResultsFolder folder(temporary.path()); }
  CHECK(files_in(temporary.path()).empty());
  CHECK(std::filesystem::exists(temporary.path()));
}

TEST_CASE("A run that fails later leaves the partial files of what was finished, and its timeline") {
  const ScratchFolder temporary;
  {
    ResultsFolder folder(temporary.path() / "results");
    TraceJson& trace = folder.add_trace(2);
    trace.begin_run("ddp", std::array{0});
    trace.span(0, "main", "forward", 0, 1, {});
    folder.save(hand_made_result(), two_workers_log(), 1);
    trace.begin_run("dear", std::array{0});
  }
  CHECK(files_in(temporary.path() / "results") ==
        Names{"iterations.partial.csv", "result.partial.json", "trace.partial.json"});
  CHECK(read_trace(temporary.path() / "results/trace.partial.json").processes.size() == 2);
}

TEST_CASE("A run refuses a folder with results of another command, even with may_replace") {
  for (const std::string name : {"sweep.sqlite", "design.json", "regimes.json", "reproduce.json"}) {
    for (const bool may_replace : {false, true}) {
      const ScratchFolder temporary;
      write_file(temporary.path() / name, "of another command");
      CHECK_THROWS_WITH_AS((ResultsFolder{temporary.path(), {.may_replace = may_replace}}),
                           ("--out: another command's " + name + " is in this folder, got " +
                            temporary.path().string() + ", expected another folder")
                               .c_str(),
                           ScenarioError);
      CHECK(files_in(temporary.path()) == Names{name});
    }
  }
}

TEST_CASE("A folder that cannot be made is an error that says why") {
  const ScratchFolder temporary;
  write_file(temporary.path() / "file", "");
  const std::string path = (temporary.path() / "file" / "folder").string();
  CHECK_THROWS_WITH_AS(ResultsFolder{path},
                       ("--out: nothing can be written to this folder (Not a directory), got " + path +
                        ", expected a folder that you may write to, or a path where one can be made")
                           .c_str(),
                       ScenarioError);
}

}  // namespace
}  // namespace starling
