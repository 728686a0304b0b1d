#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "io/json/schema.hpp"
#include "io/version.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/analysis/results/files/trace_checks.hpp"
#include "tests/commands/desk.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// The text of result.json without "simulation", which differs between executions.
std::string without_simulation(const std::string& result) {
  auto json = nlohmann::ordered_json::parse(result);
  json.erase("simulation");
  return json.dump(2);
}

TEST_CASE("A run prints a table and nothing else, and writes nothing without --out") {
  const Desk desk;
  const ProgramRun run = desk.starling("run scenario.json");
  CHECK(run.exit_code == 0);
  CHECK(run.error == "");
  CHECK(run.out.starts_with(
      "two-algorithms: 4 workers, fair engine, 3 iterations after 1 to warm up, gradients in fp32\n"
      "transport nccl_tcp (not given; latency between hosts is 10 us), eager up to 4.194 MB, "
      "collectives of any size\n\n"
      "algorithm "));
  CHECK(run.out.find("\nallreduce ") != std::string::npos);
  CHECK(run.out.find("\nddp ") != std::string::npos);
  CHECK(std::distance(std::filesystem::directory_iterator(desk.path()), {}) == 1);
}

TEST_CASE("A run that mpirun starts several times warns once, and names starling native") {
  const Desk desk;
  const auto error = [&](const std::string& arguments, int processes, int rank) {
    const ProgramRun run =
        run_program(desk.path(), arguments,
                    fmt::format("export OMPI_COMM_WORLD_SIZE={} OMPI_COMM_WORLD_RANK={}", processes, rank));
    CHECK(run.exit_code == 0);
    return run.error;
  };
  CHECK(error("run scenario.json", 4, 0) ==
        "starling: warning: 4 processes were started, by mpirun or srun, and run does all of its work in "
        "each of them; start it once, without mpirun; starling native measures a scenario on all of them\n");
  CHECK(error("run scenario.json", 4, 1) == "");
  CHECK(error("run scenario.json", 1, 0) == "");
  CHECK(error("sweep scenario.json --vary /seed=1,2 --quiet --out all", 2, 0).find("sweep does all") !=
        std::string::npos);
  CHECK(error("sweep scenario.json --vary /seed=1,2 --quiet --shard 1/2 --out part", 2, 0) == "");
}

TEST_CASE("A result.json can be run as a scenario, with the files that it names, from any folder") {
  const Desk desk;
  CHECK(desk.starling("run scenario.json --out plain --quiet").exit_code == 0);
  CHECK(desk.text("plain/result.json").find("scenario_folder") == std::string::npos);
  CHECK(desk.starling("run plain/result.json --out plain_again --quiet").exit_code == 0);
  CHECK(without_simulation(desk.text("plain_again/result.json")) ==
        without_simulation(desk.text("plain/result.json")));
  CHECK(desk.starling("run plain/result.json --set /cluster/workers=0")
            .error.starts_with("--set /cluster/workers=0: "));

  std::filesystem::create_directories(desk.path() / "own");
  write_file(desk.path() / "own" / "steps.csv",
             "worker,iteration,seconds\n0,0,0.2\n1,0,0.25\n2,0,0.2\n3,0,0.2\n");
  auto scenario = nlohmann::json::parse(two_algorithms);
  scenario["workload"]["imbalance"] = {{"kind", "trace"}, {"file", "steps.csv"}};
  write_file(desk.path() / "own" / "scenario.json", scenario.dump());
  const ProgramRun first = desk.starling("run own/scenario.json --out results/first --quiet");
  CAPTURE(first.error);
  CHECK(first.exit_code == 0);
  const auto result = nlohmann::json::parse(desk.text("results/first/result.json"));
  CHECK(result.at("scenario").at("workload").at("imbalance").dump().find("\"steps.csv\"") !=
        std::string::npos);
  CHECK(result.at("simulation").at("scenario_folder") == "../../own");
  CHECK_NOTHROW(validate_against_schema(result, "result", "result.json"));
  const ProgramRun again = desk.starling("run results/first/result.json --out again --quiet");
  CAPTURE(again.error);
  CHECK(again.exit_code == 0);
  CHECK(without_simulation(desk.text("again/result.json")) ==
        without_simulation(desk.text("results/first/result.json")));
  CHECK(nlohmann::json::parse(desk.text("again/result.json")).at("simulation").at("scenario_folder") ==
        "../own");
  CHECK(desk.starling("run results/first/result.json --sensitivity --quiet").exit_code == 0);
  CHECK(desk.starling("sweep results/first/result.json --vary /seed=1,2 --quiet --out all").exit_code == 0);
  CHECK(desk.starling("network results/first/result.json").exit_code == 0);
  CHECK(desk.starling("run - --out from_stdin --quiet < plain/result.json").exit_code == 0);
}

TEST_CASE("Errors in a result's scenario name the result, and the folder of its files") {
  const Desk desk;
  std::filesystem::create_directories(desk.path() / "own");
  write_file(desk.path() / "own" / "steps.csv",
             "worker,iteration,seconds\n0,0,0.2\n1,0,0.25\n2,0,0.2\n3,0,0.2\n");
  auto scenario = nlohmann::json::parse(two_algorithms);
  scenario["workload"]["imbalance"] = {{"kind", "trace"}, {"file", "steps.csv"}};
  write_file(desk.path() / "own" / "scenario.json", scenario.dump());
  REQUIRE(desk.starling("run own/scenario.json --out results/first --quiet").exit_code == 0);
  auto result = nlohmann::json::parse(desk.text("results/first/result.json"));
  result["scenario"]["workload"]["batch_size"] = -1;
  write_file(desk.path() / "results" / "first" / "bad.json", result.dump());
  CHECK(desk.starling("run results/first/bad.json")
            .error.starts_with("results/first/bad.json: /scenario/workload/batch_size: "));
  CHECK(desk.starling("run - < results/first/result.json").error ==
        "stdin: /simulation/scenario_folder: is relative to the folder of the result, which is unknown for "
        "standard input, got \"../../own\", expected the path of the result.json in place of -\n");
  std::filesystem::remove(desk.path() / "own" / "steps.csv");
  const ProgramRun gone = desk.starling("run results/first/result.json");
  CHECK(gone.exit_code == 2);
  CHECK(gone.error.starts_with("results/first/result.json: /scenario/workload/imbalance"));
  CHECK(gone.error.ends_with("file: no such file, got \"steps.csv\", expected a path relative to own\n"));
  std::filesystem::remove_all(desk.path() / "own");
  CHECK(desk.starling("run results/first/result.json").error ==
        "results/first/result.json: /simulation/scenario_folder: no such folder, got \"../../own\", expected "
        "the folder of the files that the scenario names, as seen from this one\n");
}

TEST_CASE(
    "The collectives that auto chose are in the table and in the result, which conforms to its schema") {
  const Desk desk;
  const ProgramRun run = desk.starling(
      "run scenario.json --out results --set '/algorithms=[{\"kind\": \"allreduce\", \"collective\": "
      "\"auto\"}]'");
  CAPTURE(run.error);
  CHECK(run.exit_code == 0);
  const auto result = nlohmann::json::parse(desk.text("results/result.json"));
  CHECK_NOTHROW(validate_against_schema(result, "result", "result.json"));
  const auto chosen = result["runs"][0]["algorithm"]["collectives_chosen"].get<std::vector<std::string>>();
  REQUIRE(chosen.size() == 1);
  CHECK(run.out.find("collectives chosen by auto: allreduce " + chosen[0] + "\n") != std::string::npos);
  CHECK(desk.starling("run scenario.json").out.find("auto chose") == std::string::npos);
}

TEST_CASE("Ranges of iterations and workers of a timeline must be valid") {
  const Desk desk;
  const std::string run = "run scenario.json --out results --trace ";
  for (const char* range : {"3-", "-3", "5-3", "x", "1-2-3", "", "99999999999"}) {
    CAPTURE(range);
    const ProgramRun wrong = desk.starling(run + "--trace-iterations '" + range + "'");
    CHECK(wrong.exit_code == 2);
    CHECK(wrong.error.find("is no range; expected one such as 3-5") != std::string::npos);
  }
  const ProgramRun beyond = desk.starling(run + "--trace-workers 2-1000");
  CHECK(beyond.exit_code == 2);
  CHECK(beyond.error.find("--trace-workers: \"2-1000\" goes beyond the scenario's workers 0 to ") !=
        std::string::npos);
  CHECK(desk.starling("run scenario.json --trace-workers 1").exit_code == 2);
  CHECK(desk.starling("run scenario.json --links --seeds 2").exit_code == 2);
  CHECK(desk.starling(run + "--trace-workers 0 --trace-iterations 1-2 --links --quiet").exit_code == 0);
  CHECK(desk.text("results/result.json").find("busy_over_time") != std::string::npos);
}

TEST_CASE("Simultaneous operations of a worker are on separate tracks of a timeline so that spans nest") {
  const Desk desk;
  for (const char* algorithm :
       {R"({"kind": "bytescheduler", "streams": 2})", R"({"kind": "eager_solo", "serialized": false})"}) {
    // With AddressSanitizer all iterations take half a minute.
    const ProgramRun run = desk.starling(
        fmt::format("run scenario.json --quiet --force --trace{} --out results --set '/algorithms=[{}]'",
                    has_address_sanitizer ? " --trace-iterations 2-3" : "", algorithm));
    CAPTURE(run.error);
    CHECK(run.exit_code == 0);
    const ReadTrace trace = read_trace(desk.path() / "results" / "trace.json");
    REQUIRE_FALSE(trace.spans.empty());
    for (const auto& [track, spans] : trace.spans) {
      CAPTURE(trace.tracks.at(track));
      CHECK(is_nested(spans));
    }
  }
}

TEST_CASE("A critical path is in the table and in the result, which conforms to its schema") {
  const Desk desk;
  const ProgramRun run = desk.starling("run scenario.json --critical-path --out results");
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("\ncritical path of ddp: an iteration takes ") != std::string::npos);
  const auto result = nlohmann::json::parse(desk.text("results/result.json"));
  CHECK_NOTHROW(validate_against_schema(result, "result", "result.json"));
  const auto& path = result["runs"][1]["critical_path"];
  CHECK(path["iteration_s"].get<double>() ==
        about(result["runs"][1]["iteration_time_s"]["mean"].get<double>(), 1e-12));
  CHECK(desk.starling("run scenario.json --critical-path --seeds 2").exit_code == 2);
}

TEST_CASE(
    "With --out and --trace all files are written, and the result conforms to its schema, under every "
    "engine") {
  for (const std::string& engine : engine_names()) {
    CAPTURE(engine);
    const Desk desk;
    const ProgramRun run = desk.starling("run scenario.json --engine " + engine + " --out results --trace");
    CHECK(run.exit_code == 0);
    CHECK(run.error == "\nWritten to results\n");
    const auto result = nlohmann::json::parse(desk.text("results/result.json"));
    CHECK_NOTHROW(validate_against_schema(result, "result", "result.json"));
    CHECK(result["engine"] == engine);
    CHECK(result["scenario"]["engine"] == engine);
    CHECK(result["runs"].size() == 2);
    const std::string rows = desk.text("results/iterations.csv");
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 1 + 2 * 4 * 4);
    CHECK(read_trace(desk.path() / "results/trace.json").processes.size() == 2 * 4);
    CHECK(std::distance(std::filesystem::directory_iterator(desk.path() / "results"), {}) == 3);
  }
}

TEST_CASE(
    "Learning adds a table and a file, the result conforms to its schema, and times are those without "
    "learning") {
  const std::string learning =
      R"( --set '/learning={"task": "quadratic", "learning_rate": 0.5, "dimension": 10,
          "target_loss": 0.5}')";
  for (const std::string& engine : engine_names()) {
    CAPTURE(engine);
    const Desk desk;
    const std::string command = "run scenario.json --quiet --engine " + engine + " --out ";
    const ProgramRun run = desk.starling(command + "learning" + learning);
    CHECK(run.exit_code == 0);
    CHECK(run.error == "");
    CHECK(run.out.find("\n\nlearning: quadratic, 4 iterations, target loss 0.5\n") != std::string::npos);
    desk.starling(command + "without");
    CHECK(desk.text("learning/iterations.csv") == desk.text("without/iterations.csv"));
    const std::string rows = desk.text("learning/learning.csv");
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 1 + 2 * 5);
    CHECK_FALSE(desk.has("without/learning.csv"));

    const auto result = nlohmann::json::parse(desk.text("learning/result.json"));
    CHECK_NOTHROW(validate_against_schema(result, "result", "result.json"));
    auto without = nlohmann::json::parse(desk.text("without/result.json"));
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(result["runs"][i]["learning"]["loss"].size() == 5);
      without["runs"][i]["learning"] = result["runs"][i]["learning"];
    }
    CHECK(result["runs"] == without["runs"]);
  }
}

TEST_CASE("A result of training that diverges says so, and conforms to its schema") {
  const Desk desk;
  const ProgramRun run = desk.starling(
      "run scenario.json --quiet --out results --set /iterations=60 --set /workload/model=hyperplane_mlp "
      "--set "
      R"('/learning={"task": "quadratic", "learning_rate": 1e6, "target_loss": 0}')");
  CHECK(run.exit_code == 0);
  const auto result = nlohmann::json::parse(desk.text("results/result.json"));
  CHECK_NOTHROW(validate_against_schema(result, "result", "result.json"));
  const auto learning = result["runs"][0]["learning"];
  CHECK(learning["final_loss"].is_null());
  CHECK(learning["time_to_target_s"].is_null());
  CHECK(learning["reason"].get<std::string>().starts_with(
      "training diverged: the loss was not a finite number"));
  CHECK(learning["loss"].back()[2].is_null());
}

TEST_CASE("A second execution writes the same bytes") {
  const Desk desk;
  const std::string learning =
      R"( --set '/learning={"task": "hyperplane", "learning_rate": 0.1, "features": 9}')";
  desk.starling("run scenario.json --out first --trace" + learning);
  desk.starling("run scenario.json --out second --trace --quiet" + learning);
  CHECK(without_simulation(desk.text("first/result.json")) ==
        without_simulation(desk.text("second/result.json")));
  CHECK(desk.text("first/iterations.csv") == desk.text("second/iterations.csv"));
  CHECK(desk.text("first/learning.csv") == desk.text("second/learning.csv"));
  CHECK(desk.text("first/trace.json") == desk.text("second/trace.json"));
}

TEST_CASE("The scenario inside a result gives the same result again") {
  const Desk desk;
  desk.starling("run scenario.json --out first --set /seed=7");
  const auto first = nlohmann::ordered_json::parse(desk.text("first/result.json"));
  write_file(desk.path() / "again.json", first["scenario"].dump(2));
  desk.starling("run again.json --out second");
  CHECK(without_simulation(desk.text("second/result.json")) ==
        without_simulation(desk.text("first/result.json")));
}

TEST_CASE("--set replaces values of the scenario") {
  const Desk desk;
  const ProgramRun run =
      desk.starling("run --set /cluster/workers=2 --set /name=changed scenario.json --quiet");
  CHECK(run.exit_code == 0);
  CHECK(run.out.starts_with("changed: 2 workers, "));
}

TEST_CASE("A finished result is not replaced without --force") {
  const Desk desk;
  REQUIRE(desk.starling("run scenario.json --out results").exit_code == 0);
  const std::string before = desk.text("results/result.json");
  const ProgramRun run = desk.starling("run scenario.json --out results");
  CHECK(run.exit_code == 2);
  CHECK(run.out == "");
  CHECK(run.error ==
        "--out: a finished result is here already, got results/result.json, expected another folder, "
        "--resume to leave it as it is, or --force to replace it\n");
  CHECK(desk.text("results/result.json") == before);
  const ProgramRun resumed = desk.starling("run scenario.json --out results --resume");
  CHECK(resumed.exit_code == 0);
  CHECK(resumed.error == "results has this result already\n");
  const ProgramRun other = desk.starling("run scenario.json --set /seed=9 --out results --resume");
  CHECK(other.exit_code == 2);
  CHECK(other.error.starts_with("--resume: the finished result in it is of another scenario, "));
  CHECK(desk.text("results/result.json") == before);
  CHECK(desk.starling("run scenario.json --set /seed=9 --out results --force --quiet").exit_code == 0);
  CHECK(desk.text("results/result.json") != before);
  CHECK(desk.starling("run scenario.json --set /seed=9 --out results --resume --force").exit_code == 2);
}

TEST_CASE("--resume accepts a result only if input files are unchanged and no output is missing") {
  const Desk desk;
  const auto finishes = [&](const std::string& more) {
    return desk.starling("run scenario.json --out results --resume " + more).exit_code == 0;
  };
  const std::string times = "worker,iteration,seconds\n0,0,0.1\n1,0,0.1\n2,0,0.1\n3,0,0.";
  const std::string traced =
      "--set '/workload/imbalance={\"kind\": \"trace\", \"file\": \"times.csv\"}' --quiet ";
  write_file(desk.path() / "times.csv", times + "1\n");
  REQUIRE(finishes(traced));
  CHECK(finishes(traced));
  CHECK_FALSE(finishes(traced + "--trace"));
  const std::string iterations = desk.text("results/iterations.csv");
  write_file(desk.path() / "results" / "iterations.csv", "");
  CHECK_FALSE(finishes(traced));
  std::filesystem::remove(desk.path() / "results" / "iterations.csv");
  CHECK_FALSE(finishes(traced));
  write_file(desk.path() / "results" / "iterations.csv", iterations);
  CHECK(finishes(traced));
  write_file(desk.path() / "times.csv", times + "2\n");
  CHECK_FALSE(finishes(traced));
}

TEST_CASE("--resume does not accept a timeline of other iterations or workers") {
  const Desk desk;
  const auto finishes = [&](const std::string& more) {
    return desk.starling("run scenario.json --out results --quiet --resume --trace " + more).exit_code == 0;
  };
  REQUIRE(finishes("--trace-workers 0-1"));
  CHECK(finishes("--trace-workers 0-1"));
  CHECK_FALSE(finishes(""));
  CHECK_FALSE(finishes("--trace-workers 0-1 --trace-iterations 0"));
  CHECK_FALSE(finishes("--trace-workers 1000"));
}

TEST_CASE("--resume accepts a critical path that was too long to keep, but not a result without one") {
  const Desk desk;
  REQUIRE(desk.starling("run scenario.json --out results --quiet").exit_code == 0);
  const std::string resumed = "run scenario.json --out results --resume --critical-path";
  CHECK(desk.starling(resumed).exit_code == 2);
  auto result = nlohmann::ordered_json::parse(desk.text("results/result.json"));
  result["runs"][0]["critical_path"] = nullptr;
  write_file(desk.path() / "results" / "result.json", result.dump());
  CHECK(desk.starling(resumed).error == "results has this result already\n");
}

TEST_CASE("A measurement is not accepted as a prediction, and never replaced") {
  const Desk desk;
  REQUIRE(desk.starling("run scenario.json --out results --quiet").exit_code == 0);
  auto result = nlohmann::ordered_json::parse(desk.text("results/result.json"));
  result["engine"] = "mpi";
  write_file(desk.path() / "results" / "result.json", result.dump());
  CHECK(desk.starling("run scenario.json --out results --resume").exit_code == 2);
  const ProgramRun forced = desk.starling("run scenario.json --out results --force");
  CHECK(forced.exit_code == 2);
  CHECK(forced.error ==
        "--out: a measurement is here already, and measurements are never replaced, got results/result.json, "
        "expected another folder, or this one after you have moved its files away\n");
  CHECK(desk.text("results/result.json") == result.dump());
}

TEST_CASE("Files derived from a result are removed with it") {
  const Desk desk;
  REQUIRE(desk.starling("model scenario.json --out results --no-simulation").exit_code == 0);
  REQUIRE(desk.starling("run scenario.json --out results --force --sensitivity --quiet").exit_code == 0);
  CHECK(desk.has("results/model.json"));  // not derived from a replaced result
  CHECK(desk.has("results/sensitivity.json"));
  CHECK(desk.starling("run scenario.json --set /seed=2 --out results --force --quiet").exit_code == 0);
  CHECK_FALSE(desk.has("results/sensitivity.json"));
  CHECK_FALSE(desk.has("results/model.json"));
}

TEST_CASE("--report and --sensitivity refuse to replace other files before anything runs") {
  const Desk desk;
  desk.write("own/report.html", "<title>My own page</title>");
  std::filesystem::create_directories(desk.path() / "page" / "report.html");
  std::filesystem::create_directories(desk.path() / "table" / "sensitivity.json");
  for (const std::string arguments : {"own --report", "page --report", "table --sensitivity"}) {
    CAPTURE(arguments);
    const ProgramRun run = desk.starling("run scenario.json --out " + arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.error.starts_with("--out: this "));
    CHECK_FALSE(desk.has(arguments.substr(0, arguments.find(' ')) + "/result.json"));
  }
  CHECK(desk.text("own/report.html") == "<title>My own page</title>");
  CHECK(desk.starling("run scenario.json --out results --report --quiet").exit_code == 0);
  CHECK(desk.starling("run scenario.json --out results --report --force --quiet").exit_code == 0);
}

TEST_CASE("model.json and sensitivity.json have the scenario hash of the result") {
  const Desk desk;
  REQUIRE(desk.starling("run scenario.json --out results --sensitivity --quiet").exit_code == 0);
  REQUIRE(desk.starling("model scenario.json --out results --no-simulation").exit_code == 0);
  const auto hash_of = [&](const std::string& file) {
    return nlohmann::json::parse(desk.text("results/" + file)).at("scenario_hash");
  };
  CHECK(hash_of("sensitivity.json") == hash_of("result.json"));
  CHECK(hash_of("model.json") == hash_of("result.json"));
  const std::string left_out = "model.json here is left out";
  CHECK(desk.starling("report results --quiet").exit_code == 0);
  CHECK(desk.text("results/report.html").find(left_out) == std::string::npos);
  REQUIRE(
      desk.starling("model scenario.json --out results --no-simulation --force --set /seed=2").exit_code ==
      0);
  CHECK(desk.starling("report results --quiet").exit_code == 0);
  CHECK(desk.text("results/report.html").find(left_out) != std::string::npos);
}

TEST_CASE("A scenario comes from stdin, and results are lines of JSON") {
  const Desk desk;
  const ProgramRun file = desk.starling("run scenario.json --json --quiet");
  const ProgramRun piped = desk.starling("run - --json --quiet < scenario.json");
  CHECK(piped.exit_code == 0);
  CHECK(piped.out == file.out);
  CHECK(piped.out.starts_with("{\"starling\":\""));
  const ProgramRun bad = desk.starling("run - < /dev/null");
  CHECK(bad.exit_code == 2);
  CHECK(bad.error == "stdin: is empty, expected a JSON object\n");
  CHECK(desk.starling("run - < .").error == "stdin: is a directory, expected a file or a pipe\n");
  CHECK(desk.starling("run - <&-").exit_code == 2);
}

TEST_CASE("Measuring reads no stdin, and says which of its runs it reports") {
  const std::string help = Desk().starling("native --help").out;
  CHECK(help.find("stdin") == std::string::npos);
  CHECK(help.find("the run with the median iteration time, for an even N the faster of the middle two") !=
        std::string::npos);
}

TEST_CASE("A run that does not reach the wanted precision within its most iterations warns") {
  const Desk desk;
  const auto error = [&](const std::string& wanted) {
    return desk
        .starling("run scenario.json --set '/iterations={\"standard_error\": " + wanted + ", \"most\": 40}'")
        .error;
  };
  CHECK(error("1e-9").find("ddp: the relative standard error is ") != std::string::npos);
  CHECK(error("1e-9").find(" after 40 iterations, the limit of /iterations/most, instead of 1e-09") !=
        std::string::npos);
  CHECK(error("0.5") == "");
  const std::string of_seeds =
      desk.starling(
              "run scenario.json --seeds 2 --set '/iterations={\"standard_error\": 1e-9, \"most\": 40}'")
          .error;
  CHECK(of_seeds.find("ddp with seed 1: the relative standard error is ") != std::string::npos);
  CHECK(of_seeds.find("ddp with seed 2: the relative standard error is ") != std::string::npos);
}

TEST_CASE("JSON on stdout keeps control characters of labels") {
  const Desk desk;
  const std::string labeled =
      R"(run scenario.json --set '/algorithms=[{"kind": "ddp", "label": "a\u0085c"}]' )";
  const std::string label = "a\xc2\x85\x63";
  CHECK(nlohmann::json::parse(desk.starling(labeled + "--json").out)["label"] == label);
  CHECK(nlohmann::json::parse(desk.starling(labeled + "--print-result").out)["runs"][0]["label"] == label);
}

TEST_CASE("A result of several seeds has means with errors, and the replications") {
  const Desk desk;
  const ProgramRun run = desk.starling("run scenario.json --seeds 3 --out results --quiet");
  CHECK(run.exit_code == 0);
  CHECK(desk.text("results/result.json").find("\"replications\"") != std::string::npos);
  const nlohmann::json runs = nlohmann::json::parse(desk.text("results/result.json")).at("runs");
  std::string lines;
  for (const nlohmann::json& each : runs) lines += each.at("label").get<std::string>() + "\n";
  std::istringstream printed(desk.starling("run scenario.json --seeds 3 --json --quiet").out);
  std::string labels;
  for (std::string line; std::getline(printed, line);) {
    const nlohmann::json each = nlohmann::json::parse(line);
    CHECK(each.at("replications").size() == 3);
    labels += each.at("label").get<std::string>() + "\n";
  }
  CHECK(labels == lines);
  CHECK(desk.starling("run scenario.json --seeds 0").exit_code == 2);
  CHECK(desk.starling("run scenario.json --seeds 2 --trace --out other").exit_code == 2);
}

TEST_CASE("Output to a closed stdout is an error, and is not written to another file") {
  const Desk desk;
  for (const char* closed : {">&-", "<&- >&-"}) {
    CAPTURE(closed);
    const ProgramRun run = desk.starling(fmt::format("run scenario.json --json --out results {}", closed));
    CHECK(run.exit_code == 1);
    CHECK(run.error.find("cannot write to standard output: Bad file descriptor\n") != std::string::npos);
    for (const auto& file : std::filesystem::directory_iterator(desk.path() / "results"))
      if (file.path().extension() == ".csv") CHECK(contents_of(file.path()).find('{') == std::string::npos);
  }
  CHECK(desk.starling("run scenario.json --out whole > /dev/null").exit_code == 0);
  CHECK(desk.starling("run scenario.json --out quiet <&- >&- 2>&-").exit_code ==
        1);  // the table cannot be printed
  CHECK(desk.text("quiet/iterations.csv") == desk.text("whole/iterations.csv"));
  CHECK(desk.starling("run - <&-").error == "stdin: is empty, expected a JSON object\n");
}

TEST_CASE("A folder that cannot be written to is an error with exit code 2") {
  const Desk desk;
  CHECK(desk.starling("sweep scenario.json --vary /seed=1 --out part --quiet").exit_code == 0);
  CHECK(desk.starling("run scenario.json --out run --quiet").exit_code == 0);
  // In /proc not even root can create a file.
  for (const char* command : {"sweep scenario.json --vary /seed=1", "merge part", "model scenario.json"}) {
    CAPTURE(command);
    const ProgramRun run = desk.starling(fmt::format("{} --out /proc/self", command));
    CHECK(run.exit_code == 2);
    CHECK(run.error.find("--out: nothing can be written to this folder (") != std::string::npos);
  }
  for (const char* command : {"report run", "network scenario.json --export graphml"}) {
    CAPTURE(command);
    const ProgramRun run = desk.starling(fmt::format("{} --out /proc/self/file.html", command));
    CHECK(run.exit_code == 2);
    CHECK(run.error.find("cannot write /proc/self/file.html: ") != std::string::npos);
  }
}

TEST_CASE("Temporary files of a killed process are removed by the next one") {
  const Desk desk;
  for (const char* command :
       {"run scenario.json --out run --quiet", "sweep scenario.json --vary /seed=1 --out sweep --quiet"}) {
    CAPTURE(command);
    const bool is_sweep = std::string_view(command).starts_with("sweep");
    const std::string folder = is_sweep ? "sweep" : "run";
    std::filesystem::create_directories(desk.path() / folder);
    write_file(desk.path() / folder / ".starling-2147483647-0.tmp", "half");
    CHECK(desk.has(folder + "/.starling-2147483647-0.tmp"));
    CHECK(desk.starling(command).exit_code == 0);
    CHECK_FALSE(desk.has(folder + "/.starling-2147483647-0.tmp"));
  }
}

TEST_CASE("A run with --uncertainty has intervals, and the result conforms to its schema") {
  const Desk desk;
  const std::string run = "run scenario.json --out results --set /cluster/network/link/bandwidth=";
  const std::string uncertain = "'{\"value\": \"10Gbps\", \"relative_error\": 0.1}'";
  const ProgramRun sure = desk.starling(run + uncertain + " --uncertainty");
  CAPTURE(sure.error);
  CHECK(sure.exit_code == 0);
  CHECK(sure.out.find("20 runs with other seeds, 1 drawn quantity") != std::string::npos);
  const auto result = nlohmann::json::parse(desk.text("results/result.json"));
  CHECK_NOTHROW(validate_against_schema(result, "result", "result.json"));
  const auto interval = result["runs"][0]["interval_90_s"].get<std::vector<double>>();
  CHECK(interval[0] < interval[1]);
  const ProgramRun unsure = desk.starling(run + uncertain + " --force");
  CHECK(unsure.error.find("--uncertainty shows their effect on the prediction") != std::string::npos);
  const ProgramRun lines =
      desk.starling("run scenario.json --uncertainty --json --set /seed=9223372036854775807");
  CHECK(std::count(lines.out.begin(), lines.out.end(), '\n') == 2);
  CHECK(nlohmann::json::parse(lines.out.substr(0, lines.out.find('\n'))).contains("interval_90_s"));
  CHECK(desk.starling("run scenario.json --uncertainty --seeds 2").exit_code == 2);
  CHECK(desk.starling(run + "'{\"value\": \"10Gbps\", \"relative_error\": 2}' --force").exit_code == 2);
}

TEST_CASE("A file that exceeds the file size limit is named in the error") {
  const Desk desk;
  const ProgramRun run = run_program(desk.path(), "run scenario.json --out results", "ulimit -f 4");
  CHECK(run.exit_code == 1);
  CHECK(run.error.find("cannot write results/") != std::string::npos);
  CHECK(run.error.find("File too large") != std::string::npos);
}

TEST_CASE("A run with --sensitivity prints and writes the effect of each number") {
  const Desk desk;
  const ProgramRun run = desk.starling("run scenario.json --sensitivity --out results");
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("\n/cluster/network/link/bandwidth ") != std::string::npos);
  CHECK(nlohmann::json::parse(desk.text("results/sensitivity.json")).at("numbers").size() > 3);
  const ProgramRun at_an_end = desk.starling("run scenario.json --sensitivity --set /cluster/goodput=1");
  CHECK(at_an_end.out.find("/cluster/goodput *") != std::string::npos);
  CHECK(at_an_end.out.find("*: from runs with only a smaller or only a larger value") != std::string::npos);
  CHECK(desk.starling("run scenario.json --sensitivity --seeds 2").exit_code == 2);
  CHECK(desk.starling("run scenario.json --sensitivity --resume --out results").exit_code == 2);
}

TEST_CASE("A wrong scenario is reported on stderr before anything is written, with exit code 2") {
  const Desk desk;
  const ProgramRun run = desk.starling("run scenario.json --set /cluster/workers=0 --out results");
  CHECK(run.exit_code == 2);
  CHECK(run.out == "");
  CHECK(run.error.find("/cluster/workers: ") != std::string::npos);
  CHECK_FALSE(desk.has("results"));
  CHECK(desk.starling("run missing.json").exit_code == 2);
  CHECK(desk.starling("run scenario.json --engine evnet").exit_code == 2);
}

TEST_CASE("An algorithm that does not fit is reported before anything is written") {
  const Desk desk;
  const ProgramRun run = desk.starling(
      "run scenario.json --set /algorithms/1/kind=dear --set /algorithms/1/collective=double_tree --out "
      "results");
  CHECK(run.exit_code == 2);
  CHECK(run.error.find("/algorithms/1") != std::string::npos);
  CHECK_FALSE(desk.has("results"));
}

TEST_CASE("A timeline needs a folder to be written to") {
  const Desk desk;
  const ProgramRun run = desk.starling("run scenario.json --trace");
  CHECK(run.exit_code == 2);
  CHECK(run.error == "starling: --trace needs --out DIR: the timeline is written to DIR/trace.json\n");
}

TEST_CASE("The error of a mistyped command suggests the nearest one") {
  const Desk desk;
  const ProgramRun run = desk.starling("rnu scenario.json");
  CHECK(run.exit_code == 2);
  CHECK(run.error ==
        "starling: there is no command \"rnu\" (did you mean \"run\"?); there are run, sweep, merge, plot, "
        "design, regimes, compare, report, native, reproduce, calibrate, validate, testbed, model, network, "
        "collectives, import, list, schema, test; starling --help says more\n");
}

TEST_CASE("Errors of subcommands are like those of commands") {
  const Desk desk;
  CHECK(desk.starling("testbed dwon").error ==
        "starling: there is no command \"dwon\" (did you mean \"down\"?); there are up, run, on, down, exec; "
        "starling testbed --help says more\n");
  CHECK(desk.starling("testbed").error ==
        "starling: a command is missing; there are up, run, on, down, exec; starling testbed --help says "
        "more\n");
  CHECK(desk.starling("testbed --version").error ==
        "starling: there is no option \"--version\" before a command; starling testbed --help is the only "
        "one\n");
  for (const std::string command : {"", "testbed"})
    CHECK(desk.starling(command + " --help").out.find("\nCommands:\n") != std::string::npos);
}

TEST_CASE("Numbers in options are decimal, and neither a number nor a path may be empty") {
  const Desk desk;
  CHECK(desk.starling("run scenario.json --seeds 010 --json").out.find("\"seed\":10,") != std::string::npos);
  for (const std::string wrong : {"''", "0x2", "2.0", "2147483648"}) {
    CAPTURE(wrong);
    const ProgramRun run =
        desk.starling("sweep scenario.json --vary /cluster/workers=2,3 --out out --jobs " + wrong);
    CHECK(run.exit_code == 2);
    CHECK(run.error.find(" is no integer up to 2147483647; starling sweep --help says") != std::string::npos);
  }
  for (const std::string wrong : {"run scenario.json --out ''", "run ''", "run scenario.json --out --quiet",
                                  "network scenario.json --export dot --out ''"}) {
    CAPTURE(wrong);
    const ProgramRun run = desk.starling(wrong);
    CHECK(run.exit_code == 2);
    CHECK(run.error.find(": a path is missing") != std::string::npos);
  }
  CHECK_FALSE(desk.has("--quiet"));
  CHECK_FALSE(desk.has("out"));
}

TEST_CASE("The error of an option before the command lists the possible ones") {
  const Desk desk;
  for (const char* option : {"-v", "--force", "-"}) {
    const ProgramRun run = desk.starling(std::string(option) + " run scenario.json");
    CHECK(run.exit_code == 2);
    CHECK(run.error ==
          fmt::format("starling: there is no option \"{}\" before a command; starling --help and "
                      "starling --version are the only ones\n",
                      option));
  }
  CHECK(desk.starling("--help").exit_code == 0);
  CHECK(desk.starling("-h").exit_code == 0);
}

TEST_CASE("Arguments that are not UTF-8 are refused") {
  const Desk desk;
  const ProgramRun label = desk.starling("run scenario.json --out results --set '/name=caf\xe9'");
  CHECK(label.exit_code == 2);
  CHECK(label.error ==
        "starling: argument 6: not UTF-8, got \"/name=caf\\xe9\"; texts and names of files are UTF-8\n");
  write_file(desk.path() / "caf\xe9.json", two_algorithms);
  CHECK(desk.starling("run 'caf\xe9.json' --json").exit_code == 2);
  write_file(desk.path() / "café.json", two_algorithms);
  CHECK(desk.starling("run café.json --json").exit_code == 0);
}

TEST_CASE("Errors in arguments say how to get help") {
  const Desk desk;
  for (const char* arguments :
       {"", "run", "run scenario.json --fast", "list", "schema", "run scenario.json other.json"}) {
    CAPTURE(arguments);
    const ProgramRun run = desk.starling(arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out == "");
    CHECK(run.error.starts_with("starling: "));
    CHECK(run.error.find("--help") != std::string::npos);
  }
}

TEST_CASE("The error of unexpected arguments has them in their order, with the nearest option") {
  const Desk desk;
  CHECK(desk.starling("run scenario.json --again 3").error ==
        "starling: not expected: --again 3; starling run --help says what is possible\n");
  CHECK(desk.starling("run scenario.json --quite 3").error ==
        "starling: not expected: --quite 3 (did you mean \"--quiet\"?); starling run --help says what is "
        "possible\n");
}

TEST_CASE("Errors of options that are repeated, lack a value or have one too many are whole sentences") {
  const Desk desk;
  const std::string more = "; starling run --help says what is possible\n";
  CHECK(desk.starling("run scenario.json --seeds 1 --seeds 2 --seeds 2").error ==
        "starling: --seeds is given 3 times, and may be once" + more);
  CHECK(desk.starling("run scenario.json --out a --out b").error ==
        "starling: --out is given 2 times, and may be once" + more);
  CHECK(desk.starling("run scenario.json --engine").error == "starling: --engine: NAME is missing" + more);
  CHECK(desk.starling("run scenario.json --set /seed=1 --set").error ==
        "starling: --set: /json/pointer=VALUE is missing" + more);
  for (const std::string value : {"maybe", "false", "2"})
    CHECK(desk.starling("run scenario.json --trace=" + value).error ==
          "starling: --trace: takes no value, got \"" + value + '"' + more);
  CHECK(desk.starling("run scenario.json --json --json --quiet").exit_code == 0);
  CHECK(desk.starling("run scenario.json -- --seeds").error == "starling: not expected: --seeds" + more);
}

TEST_CASE("Every command has help on stdout, with an example of its own") {
  const Desk desk;
  for (const std::string command :
       {"", "run", "native", "reproduce", "calibrate", "validate", "testbed", "collectives", "list", "schema",
        "test", "testbed up", "testbed run", "testbed on", "testbed down", "testbed exec"}) {
    CAPTURE(command);
    const ProgramRun run = desk.starling(command + " --help");
    CHECK(run.exit_code == 0);
    CHECK(run.error == "");
    const std::size_t example = run.out.find("Example");
    REQUIRE(example != std::string::npos);
    CHECK(run.out.find("starling " + command, example) != std::string::npos);
  }
}

TEST_CASE("An interrupted run says that nothing was finished, and ends by the signal") {
  const Desk desk;
  const std::string long_run = "run scenario.json --set /iterations=2000000 --set /collectives=messages ";
  for (const auto& [signal, exit_code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    CAPTURE(signal);
    const std::string out = std::string("results") + signal;
    // Background jobs of a shell ignore SIGINT; env restores its default action.
    const ProgramRun run =
        desk.starling("--version; env --default-signal=INT '" STARLING_PROGRAM "' " + long_run + "--out " +
                      out + " & job=$!; while kill -0 $job && [ ! -e " + out +
                      " ]; do sleep 0.05; done; sleep 0.5; kill -" + signal + " $job; wait $job");
    CHECK(run.exit_code == exit_code);
    CHECK(run.error.find("starling: interrupted; nothing was finished yet\n") != std::string::npos);
  }
}

TEST_CASE("An interrupted run keeps the algorithms that are finished, and says where") {
  const Desk desk;
  // The second algorithm takes hundreds of times as long as the first.
  const ProgramRun run =
      desk.starling("--version; env --default-signal=INT '" STARLING_PROGRAM
                    "' run scenario.json --set /iterations=20000 --out results --set "
                    "'/algorithms=[{\"kind\": \"allreduce\"}, {\"kind\": \"eager_solo\"}]' & job=$!; while "
                    "kill -0 $job && [ ! -e results/result.partial.json ]; do sleep 0.05; done; kill -INT "
                    "$job; wait $job");
  CHECK(run.exit_code == 130);
  CHECK(run.error == "starling: interrupted; finished results are in results/result.partial.json\n");
  const auto result = nlohmann::json::parse(desk.text("results/result.partial.json"));
  CHECK(result["runs"].size() == 1);
  CHECK(result["runs"][0]["label"] == "allreduce");
  const std::string rows = desk.text("results/iterations.partial.csv");
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 1 + 4 * 20000);
  CHECK_FALSE(desk.has("results/result.json"));
}

TEST_CASE("A run that would take too long or too much disk space is refused before it begins") {
  const Desk desk;
  const std::string endless = "run scenario.json --set /iterations=1000000000 --out results";
  const ProgramRun refused = desk.starling(endless);
  CHECK(refused.exit_code == 2);
  CHECK(refused.error.starts_with(
      "scenario.json: /iterations: 1000000000 iterations of 4 workers would take at least "));
  CHECK_FALSE(desk.has("results"));
  const ProgramRun short_run = desk.starling("run scenario.json --force --quiet");
  CHECK(short_run.exit_code == 0);
}

TEST_CASE("The demand of a run of several seeds is that of one times the seeds") {
  const Desk desk;
  const ProgramRun refused =
      desk.starling("run scenario.json --seeds 1000000 --set /iterations=1000000 --out results");
  CHECK(refused.exit_code == 2);
  CHECK(refused.error.find(
            "scenario.json: /iterations: 1000000 iterations of 4 workers with 1000000 seeds would "
            "take at least 46 days ") != std::string::npos);
  CHECK_FALSE(desk.has("results"));
}

TEST_CASE("A run that is out of memory names its algorithm, and ends with an error") {
  if (has_address_sanitizer) return;  // AddressSanitizer needs more address space than the limit
  const Desk desk;
  for (const int megabytes : {60, 100, 200, 400}) {
    CAPTURE(megabytes);
    const ProgramRun run =
        desk.starling("--version; ulimit -v " + std::to_string(1000 * megabytes) +
                      "; '" STARLING_PROGRAM
                      "' run scenario.json --force --quiet --set /cluster/workers=65536 --set "
                      "'/algorithms=[{\"kind\": \"eager_solo\", \"label\": \"mine\"}]'");
    CHECK(run.exit_code == 1);
    CHECK(run.error.starts_with("starling: mine: out of memory after "));
  }
}

TEST_CASE("Control characters from files are not printed to the terminal") {
  const Desk desk;
  const ProgramRun named = desk.starling(R"(run scenario.json --set '/name="\u001b[2J"')");
  CHECK(named.exit_code == 2);
  CHECK(named.error.find('\x1b') == std::string::npos);
  CHECK(named.error.find("/name: has control characters, got \"\\u001b[2J\"") != std::string::npos);
  write_file(desk.path() / "trace.csv", "worker,iteration,seconds\n\x1b[2J\n");
  const ProgramRun traced = desk.starling(
      R"(run scenario.json --set '/workload/imbalance={"kind": "trace", "file": "trace.csv"}')");
  CHECK(traced.exit_code == 2);
  CHECK(traced.error.find('\x1b') == std::string::npos);
  CHECK(traced.error.find("\\x1b[2J") != std::string::npos);
}

TEST_CASE("A reader that stops early ends no work whose files are kept") {
  const Desk desk;
  const ProgramRun run = desk.starling("run scenario.json --json --out kept | true");
  CHECK(run.error.find("error") == std::string::npos);
  CHECK(nlohmann::json::parse(desk.text("kept/result.json"))["runs"].size() == 2);
  (void)desk.starling("sweep scenario.json --vary /seed=1,2,3 --json --out swept | true");
  const std::string rows = desk.text("swept/sweep.csv");
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 1 + 3 * 2);
}

TEST_CASE("A scenario can be read from a pipe of the shell, but a named pipe is refused") {
  const Desk desk;
  CHECK(desk.starling("run /dev/stdin < scenario.json").exit_code == 0);
  CHECK(desk.starling("list models; cat scenario.json | '" STARLING_PROGRAM "' run /dev/stdin").exit_code ==
        0);
  const ProgramRun refused =
      desk.starling("list models > /dev/null; mkfifo pipe; '" STARLING_PROGRAM "' run pipe");
  CHECK(refused.exit_code == 2);
  CHECK(refused.error == "pipe: is a named pipe, expected a file\n");
}

TEST_CASE("Without its module the engine simgrid names the missing file while other engines run") {
  const Desk desk;
  std::filesystem::create_directory(desk.path() / "bin");
  std::filesystem::copy_file(STARLING_PROGRAM, desk.path() / "bin/starling");
  const auto alone = [&](const std::string& arguments) {
    return desk.starling("--version; export STARLING_DATA=\"$(dirname '" STARLING_PROGRAM
                         "')/../share/starling\"; bin/starling " +
                         arguments);
  };
  const ProgramRun run = alone("run scenario.json --engine simgrid --out results");
  CHECK(run.exit_code == 1);
  const std::string file =
      std::filesystem::weakly_canonical(desk.path()) / "lib/starling/libstarling_simgrid.so";
  CHECK(run.error.find("the engine simgrid needs a file that does not exist: " + file) != std::string::npos);
  CHECK_FALSE(desk.has("results"));
  CHECK(alone("run scenario.json --engine event").exit_code == 0);
  CHECK(alone("native scenario.json").error.find("libstarling_mpi.so") != std::string::npos);
}

TEST_CASE("The program loads neither SimGrid nor MPI before they are used") {
  CHECK(std::system("ldd '" STARLING_PROGRAM "' | grep -Eq 'libsimgrid|libmpi|libopenblas|libicu'") != 0);
}

TEST_CASE("Without its data every command that needs it names the folder and the variable") {
  const Desk desk;
  for (const char* arguments : {"list models", "schema model", "run scenario.json", "reproduce"}) {
    CAPTURE(arguments);
    const ProgramRun run = desk.starling(
        std::string("--version; export STARLING_DATA=/nowhere; '" STARLING_PROGRAM "' ") + arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.error.starts_with(
        "/nowhere: Starling's models, distributions and schemas are not in this folder"));
    CHECK(run.error.find("STARLING_DATA") != std::string::npos);
  }
}

TEST_CASE("--version prints the version that results have") {
  const Desk desk;
  CHECK(desk.starling("--version").out == "starling " + std::string(version()) + "\n");
}

TEST_CASE("--print-result prints the bytes of result.json") {
  const Desk desk;
  const ProgramRun run = desk.starling("run scenario.json --print-result --out results");
  CHECK(run.exit_code == 0);
  CHECK(run.out == desk.text("results/result.json"));
  CHECK(desk.starling("run scenario.json --print-result --json").exit_code == 2);
}

TEST_CASE("starling test of the built program names the script that runs the tests") {
  const Desk desk;
  const ProgramRun run = desk.starling("test -R something");
  CHECK(run.exit_code == 2);
  CHECK(run.error.find("./starling test") != std::string::npos);
}

TEST_CASE("A reader of the table that stops early is no error, and the files are complete") {
  const Desk desk;
  const ProgramRun run = desk.starling("run scenario.json --out results --quiet | true");
  CHECK(run.error == "");
  CHECK(desk.has("results/result.json"));
}

TEST_CASE("Output that cannot be written is an error, after the files are complete") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Desk desk;
  const ProgramRun full = desk.starling("run scenario.json --out results --quiet > /dev/full");
  CHECK(full.exit_code == 1);
  CHECK(full.error == "starling: cannot write to standard output: No space left on device\n");
  CHECK(desk.has("results/result.json"));
  CHECK(desk.starling("run scenario.json >&-").exit_code == 1);
  CHECK(desk.starling("run --help > /dev/full").exit_code == 1);
  CHECK(desk.starling("run scenario.json 2>&-").exit_code == 0);
}

TEST_CASE("A run warns of shared links that another placement avoids, also with --quiet") {
  const Desk desk;
  const std::string wide = R"(--set '/cluster/network={"kind": "torus", "dimensions": [4, 8],
      "link": {"bandwidth": "10Gbps", "latency": "5us"}}' --set /cluster/workers=32)";
  const std::string ring = R"( --quiet --set '/algorithms=[{"kind": "allreduce", "collective": "ring"}]' )";
  CHECK(desk.starling("run scenario.json" + ring + wide).error.find("share links") != std::string::npos);
  CHECK(desk.starling("run scenario.json" + ring + wide + " --set /cluster/placement=snake").error == "");
}

TEST_CASE("Every command that runs a scenario warns once of idle network cards") {
  const Desk desk;
  const std::string rest = R"("workload": {"model": "resnet50", "batch_size": 32,
    "compute": {"forward": "10ms", "backward": "20ms"}}, "algorithm)";
  const std::string begin = R"({"iterations": 6, "warmup_iterations": 1,
    "cluster": {"workers": 8, "workers_per_host": 4, "nics_per_host": 4,
      "intra_host_link": {"bandwidth": "50GBps", "latency": "1us"},
      "network": {"kind": "rail", "link": {"bandwidth": "25Gbps", "latency": "1us"}}},)";
  write_file(desk.path() / "rail.json", begin + rest + R"(s": [{"kind": "allreduce"}]})");
  write_file(desk.path() / "job.json",
             begin + R"("jobs": [{"name": "one", "workers": 8,)" + rest + R"(": {"kind": "allreduce"}}]})");
  write_file(desk.path() / "study.json", R"({"base": "rail.json", "families": [{"name": "rail",
    "vary": [{"/cluster/network/link/bandwidth": ["25Gbps", "50Gbps"]}]}]})");
  for (const char* command :
       {"run rail.json", "run rail.json --seeds 2", "run job.json", "model rail.json --explain",
        "sweep rail.json --vary /workload/batch_size=32,64 --out swept",
        "design study.json --jobs 1 --out designed"}) {
    CAPTURE(command);
    const ProgramRun run = desk.starling(command);
    CHECK(run.exit_code == 0);
    const std::size_t found = run.error.find("one of 4 network cards of a host receives 4 times the mean");
    CHECK(found != std::string::npos);
    CHECK(run.error.find("network cards of a host", found + 20) == std::string::npos);
  }
}

}  // namespace
}  // namespace starling
