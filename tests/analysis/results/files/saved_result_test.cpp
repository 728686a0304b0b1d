#include "analysis/results/files/saved_result.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/results/files/result_json.hpp"
#include "io/json/schema.hpp"
#include "io/scenario_error.hpp"
#include "io/version.hpp"
#include "tests/analysis/results/hand_made_results.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

/// The problem that reading a result reports; empty if there is none.
std::string problem_of(const std::filesystem::path& path) {
  try {
    read_result(path);
  } catch (const ScenarioError& error) {
    return error.description().problem;
  }
  return "";
}

TEST_CASE("A saved result is read back, from its folder or by its file's name") {
  const ScratchFolder folder;
  write_file(folder.path() / "result.json", result_json_text(hand_made_result()));
  for (const auto& path : {folder.path(), folder.path() / "result.json"}) {
    const SavedResult result = read_result(path);
    CHECK(result.engine == "event");
    CHECK_FALSE(result.is_measured());
    REQUIRE(result.runs.size() == 1);
    CHECK(result.runs[0].label == "first");
    CHECK(result.runs[0].mean_s == 0.3);
    CHECK(result.runs[0].breakdown_s.exposed_communication == 0.0123456);
    CHECK_FALSE(result.runs[0].coefficient_of_variation);
  }
}

TEST_CASE("Errors in results of another version name that version") {
  CHECK(other_version_text({{"starling", version()}}).empty());
  CHECK(other_version_text(nlohmann::json::object()).empty());
  const std::string text = "written by starling 0.0.1, and this is " + std::string(version());
  CHECK(other_version_text({{"starling", "0.0.1"}}) == text);
  const ScratchFolder folder;
  auto document = result_json(hand_made_result());
  document["runs"][0].erase("breakdown_s");
  const auto problem = [&] {
    write_file(folder.path() / "result.json", document.dump());
    return problem_of(folder.path());
  };
  CHECK(problem().find("written by") == std::string::npos);
  document["starling"] = "0.0.1";
  CHECK(problem().ends_with(" (" + text + ")"));
}

TEST_CASE("A saved measurement has its repetitions and their variation and its lateness") {
  const ScratchFolder folder;
  Result measured = hand_made_result();
  measured.runs[0].computing = Computing{
      .planned_s = 0.25, .passed_s = 0.5, .late_s = {.mean = 0.25}, .ranks = {{}}, .timers = LateTimers{}};
  auto document = result_json(measured);
  document["engine"] = "mpi";
  document["runs"][0]["repetitions"] = 3;
  document["runs"][0]["coefficient_of_variation"] = 0.01;
  write_file(folder.path() / "result.json", document.dump());
  const SavedResult result = read_result(folder.path());
  CHECK(result.is_measured());
  CHECK(result.runs[0].repetitions == 3);
  CHECK(result.runs[0].coefficient_of_variation == 0.01);
  CHECK(result.runs[0].mean_late_s == 0.25);
}

TEST_CASE("A saved result has the parts of its critical paths by rank and link") {
  const ScratchFolder folder;
  Result result = hand_made_result();
  result.runs[0].critical_path = CriticalPath{.iteration_s = 0.3,
                                              .parts = {{.on = SpentOn::compute, .rank = 3, .s = 0.2},
                                                        {.on = SpentOn::link, .link = "a -> b", .s = 0.06},
                                                        {.on = SpentOn::latency, .s = 0.04}}};
  write_file(folder.path() / "result.json", result_json_text(result));
  const std::vector<SavedPathPart> path = read_result(folder.path()).runs[0].path;
  REQUIRE(path.size() == 3);
  CHECK(path[0].spent_on == "compute");
  CHECK(path[0].what == "compute of rank 3");
  CHECK(path[1].what == "link a -> b");
  CHECK(path[2].what == "latency");
  CHECK(path[2].s == 0.04);
}

TEST_CASE("A saved result of several seeds has its replications") {
  const ScratchFolder folder;
  for (const bool has_replications : {false, true}) {
    Result result = hand_made_result();
    if (has_replications)
      result.runs[0].replications = {{.seed = 1, .mean_s = 0.3}, {.seed = 2, .mean_s = 0.4}};
    write_file(folder.path() / "result.json", result_json_text(result));
    const SavedRun run = read_result(folder.path()).runs[0];
    CHECK(run.seeds == (has_replications ? 2 : 1));
    REQUIRE(run.replications.size() == (has_replications ? std::size_t{2} : std::size_t{0}));
    if (!has_replications) continue;
    CHECK(run.replications[1].seed == 2);
    CHECK(run.replications[1].mean_s == 0.4);
  }
}

TEST_CASE("What was asked for of a saved run leaves out notes that are no options of the algorithm") {
  const auto schema = nlohmann::json::parse(schema_text("result"));
  const auto& block = schema.at("definitions").at("run").at("properties").at("algorithm").at("properties");
  std::set<std::string> described;
  SavedRun run;
  run.algorithm = {{"kind", "dear"}, {"bucket_bytes", 1000}};
  for (const auto& [key, value] : block.items()) {
    if (key == "kind") continue;
    described.insert(key);
    run.algorithm[key] = 1;
  }
  CHECK(described == std::set<std::string>(note_keys.begin(), note_keys.end()));
  CHECK(run.asked_for() == nlohmann::json{{"kind", "dear"}, {"bucket_bytes", "auto"}});
}

TEST_CASE("A result with two runs of the same label is refused") {
  const ScratchFolder folder;
  auto document = result_json(hand_made_result());
  document["runs"].push_back(document["runs"][0]);
  write_file(folder.path() / "result.json", document.dump());
  CHECK(problem_of(folder.path()) == "this label is taken by /runs/0");
}

TEST_CASE("A folder without a finished result, or with a file of another form, is refused") {
  const ScratchFolder folder;
  CHECK(problem_of(folder.path()) == "there is no result.json");
  CHECK(problem_of(folder.path() / "missing") != "");
  write_file(folder.path() / "result.partial.json", "{}");
  CHECK(problem_of(folder.path()) == "the run that writes here has not finished");
  write_file(folder.path() / "result.json", "{}");
  CHECK(problem_of(folder.path()) == "this is not the result of a run");
  // The excerpt of the error may be cut inside the two bytes of an é: it must be cut before.
  const std::string key(175, 'x');
  write_file(folder.path() / "result.json", "{\"" + key + "éé\": 1}");
  CHECK_THROWS_WITH_AS(read_result(folder.path()), doctest::Contains((key + "…, expected").c_str()),
                       ScenarioError);
  for (const char* count : {"workers", "iterations"}) {
    auto document = result_json(hand_made_result());
    document["runs"][0][count] = std::int64_t{1} << 32;
    write_file(folder.path() / "result.json", document.dump());
    CHECK(problem_of(folder.path()).find("does not meet the schema") == 0);
  }
  for (const char* scenario : {R"({"warmup_iterations": 9223372036854775807})",
                               R"({"jobs": [{"warmup_iterations": 9223372036854775807}]})"}) {
    auto document = result_json(hand_made_result());
    document["scenario"] = nlohmann::json::parse(scenario);
    write_file(folder.path() / "result.json", document.dump());
    CHECK(problem_of(folder.path()).find("does not meet the schema") == 0);
  }
  write_file(folder.path() / "result.json", R"({"engine": "fair", "runs": []})");
  CHECK(problem_of(folder.path()).find("does not meet the schema") == 0);
}

}  // namespace
}  // namespace starling
