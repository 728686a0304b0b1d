#include "analysis/results/files/result_json.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "tests/analysis/results/hand_made_results.hpp"

namespace starling {
namespace {

std::vector<std::string> keys_of(const nlohmann::ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST_CASE("A result has its keys in the order of the documentation") {
  const auto document = result_json(hand_made_result());
  CHECK(keys_of(document) == std::vector<std::string>{"starling", "scenario", "engine", "compute",
                                                      "transport", "runs", "simulation"});
  CHECK(keys_of(document["runs"][0]) ==
        std::vector<std::string>{"label", "algorithm", "workers", "iterations", "iteration_time_s",
                                 "throughput_samples_per_s", "makespan_s", "breakdown_s", "traffic",
                                 "evaluated_share", "participation", "learning", "speedup",
                                 "speedup_interval_95", "standard_error_s", "interval_95_s"});
}

TEST_CASE("result.json has the unevenness of connections where they share unevenly") {
  Result result = hand_made_result();
  result.transport = TransportFacts{.name = "nccl_tcp", .reason = "given"};
  CHECK_FALSE(result_json(result)["transport"].contains("unevenness"));
  CHECK_FALSE(result_json(result)["transport"].contains("queued_at_first_link"));
  result.transport->unevenness = 0.125;
  result.transport->queued_at_first_link = 0.25;
  CHECK(result_json(result)["transport"]["unevenness"] == 0.125);
  CHECK(result_json(result)["transport"]["queued_at_first_link"] == 0.25);
}

TEST_CASE("result.json says whether collectives of any size are eager") {
  Result result = hand_made_result();
  result.transport = TransportFacts{.name = "ideal", .reason = "given"};
  const auto tells = [&] { return result_json(result)["transport"]["are_collectives_eager"].get<bool>(); };
  CHECK(tells());
  result.transport->costs.eager_threshold_bytes = 65536;
  CHECK_FALSE(tells());
  result.transport->costs.are_collectives_eager = true;
  CHECK(tells());
}

TEST_CASE("The reason for the transport is among the facts of the simulation") {
  Result result = hand_made_result();
  CHECK_FALSE(result_json(result)["simulation"].contains("transport_reason"));
  result.transport =
      TransportFacts{.name = "nccl_ib", .reason = "not given; latency between hosts is 9.8 us"};
  CHECK(result_json(result)["simulation"]["transport_reason"] ==
        "not given; latency between hosts is 9.8 us");
}

TEST_CASE("result.json of a measurement has planned and actual compute times") {
  Result result = hand_made_result();
  CHECK_FALSE(result_json(result)["runs"][0].contains("computing"));
  RunResult& run = result.runs[0];
  run.computing = Computing{.planned_s = 0.25,
                            .passed_s = 0.5,
                            .late_s = {.mean = 0.25, .std = 0.125, .p95 = 0.375, .max = 0.5},
                            .ranks = {{.planned_s = 0.25, .passed_s = 0.5, .latest_s = 0.5}}};
  CHECK(result_json(result)["runs"][0]["computing"] == nlohmann::ordered_json::parse(R"({
    "planned_s": 0.25, "passed_s": 0.5,
    "late_s": {"mean": 0.25, "std": 0.125, "p95": 0.375, "max": 0.5},
    "ranks": [{"planned_s": 0.25, "passed_s": 0.5, "latest_s": 0.5}]})"));
  run.computing->timers = LateTimers{.count = 4, .sum_s = 1, .sum_of_squares_s2 = 0.25, .max_s = 0.25};
  CHECK(result_json(result)["runs"][0]["computing"]["timers"] ==
        nlohmann::ordered_json::parse(R"({"count": 4, "late_s": {"mean": 0.25, "std": 0.0, "max": 0.25}})"));
}

TEST_CASE("Numbers in result.json read back as the same numbers") {
  Result result = hand_made_result();
  result.runs[0].makespan_s = 0.1 + 0.2;
  result.runs[0].iteration_time_s.std = 5e-324;
  const auto read = nlohmann::json::parse(result_json_text(result));
  CHECK(read["runs"][0]["makespan_s"].get<double>() == 0.1 + 0.2);
  CHECK(read["runs"][0]["iteration_time_s"]["std"].get<double>() == 5e-324);
}

TEST_CASE("Numbers take no more digits than needed") {
  Result result = hand_made_result();
  result.runs[0].makespan_s = 0.1;
  CHECK(result_json_text(result).find("\"makespan_s\": 0.1,") != std::string::npos);
}

TEST_CASE("Whole bytes are integers") {
  const std::string text = result_json_text(hand_made_result());
  CHECK(text.find("\"bytes\": 9007199254740991,") != std::string::npos);
}

TEST_CASE("Figures that a run does not have are null in result.json") {
  Result result = hand_made_result();
  result.runs[0].throughput_samples_per_s.reset();
  result.runs[0].speedup.reset();
  result.runs[0].participation.mean_active_workers.reset();
  const auto run = result_json(result)["runs"][0];
  CHECK(run["throughput_samples_per_s"].is_null());
  CHECK(run["speedup"].is_null());
  CHECK(run["participation"]["mean_active_workers"].is_null());
  CHECK(run["learning"].is_null());
}

TEST_CASE("A critical path that was too long to keep is null, and one that was not asked for is absent") {
  Result result = hand_made_result();
  CHECK_FALSE(result_json(result)["runs"][0].contains("critical_path"));
  result.runs[0].is_path_too_long = true;
  REQUIRE(result_json(result)["runs"][0].contains("critical_path"));
  CHECK(result_json(result)["runs"][0]["critical_path"].is_null());
}

TEST_CASE(
    "Learning in result.json has rows of seconds, iteration and value, null where training has diverged") {
  Result result = hand_made_result();
  result.runs[0].learning = hand_made_learning();
  const auto learning = nlohmann::json::parse(result_json_text(result))["runs"][0]["learning"];
  CHECK(learning == nlohmann::json::parse(R"({
    "task": "quadratic",
    "loss": [[0.0, 0, 12.5], [0.75, 10, 4.5], [1.5, 20, null]],
    "consensus_distance": [[0.0, 0, 0.0], [0.75, 10, 0.0125], [1.5, 20, null]],
    "final_loss": null, "target_loss": 5.0, "time_to_target_s": 0.75, "reason": null, "caution": null})"));
  result.runs[0].learning->time_to_target_s.reset();
  result.runs[0].learning->target_loss.reset();
  result.runs[0].learning->reason = "no target loss was set";
  const auto other = result_json(result)["runs"][0]["learning"];
  CHECK(other["target_loss"].is_null());
  CHECK(other["time_to_target_s"].is_null());
  CHECK(other["reason"] == "no target loss was set");
}

TEST_CASE("A number that JSON cannot hold is a bug") {
  Result result = hand_made_result();
  result.runs[0].makespan_s = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(result_json(result), InvariantError);
  result = hand_made_result();
  result.runs[0].speedup_interval_95 = {1, std::numeric_limits<double>::infinity()};
  CHECK_THROWS_AS(result_json(result), InvariantError);
}

TEST_CASE("The text of a result ends with a line break and is indented") {
  const std::string text = result_json_text(hand_made_result());
  CHECK(text.starts_with("{\n  \"starling\": \""));
  CHECK(text.ends_with("}\n"));
}

}  // namespace
}  // namespace starling
