#include "analysis/sensitivity/sensitivity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/running/runner.hpp"
#include "analysis/sensitivity/sensitivity_text.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "tests/analysis/uncertainty/with_changes.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr const char* sensitive_base = R"({
  "iterations": 12, "warmup_iterations": 2,
  "cluster": {"workers": 4, "transport": "ideal",
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "50us"}}},
  "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"}},
  "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]})";

Scenario sensitive_scenario(const nlohmann::json& changes) {
  return with_changes(sensitive_base, changes, "sensitivity.json");
}

Sensitivity sensitivity_with(const nlohmann::json& changes) {
  const Scenario scenario = sensitive_scenario(changes);
  return sensitivity_of(scenario, document_to_vary(scenario, changes), simulate(scenario));
}

/// The mean iteration time in seconds of the first algorithm.
double sensitive_scenario_time_s(const nlohmann::json& changes) {
  return simulate(sensitive_scenario(changes)).runs.front().iteration_time_s.mean;
}

const NumberSensitivity& at(const Sensitivity& sensitivity, const std::string& pointer) {
  const auto found = std::ranges::find(sensitivity.numbers, pointer, &NumberSensitivity::pointer);
  REQUIRE(found != sensitivity.numbers.end());
  return *found;
}

TEST_CASE("elasticities of an all-reduce equal those of its closed form") {
  const Sensitivity sensitivity = sensitivity_with(nlohmann::json::object());
  CHECK(sensitivity.labels == std::vector<std::string>{"allreduce", "ddp"});
  const auto time_s = [](double bandwidth, double latency, double forward) {
    const double bytes = 4.0 * 25'557'032;
    return forward * 0.03 + 0.06 + 6 * (2 * 50e-6) * latency + 6.0 / 4 * bytes / (1.25e9 * bandwidth);
  };
  const auto expected = [](double greater_s, double less_s) {
    return std::log(greater_s / less_s) / (2 * std::log(1.1));
  };
  const auto elasticity = [&](const std::string& pointer) {
    return at(sensitivity, pointer).elasticities.front().value;
  };
  // A relative error e of times makes an error of up to 2e / (2 ln 1.1) ≈ 10 e of an elasticity. That to the
  // latency is 0.003: a tolerance of 1e-3 allows for e = 3e-7.
  CHECK(elasticity("/cluster/network/link/bandwidth") ==
        about(expected(time_s(1.1, 1, 1), time_s(1 / 1.1, 1, 1)), 1e-4));
  CHECK(elasticity("/cluster/network/link/latency") ==
        about(expected(time_s(1, 1.1, 1), time_s(1, 1 / 1.1, 1)), 1e-3));
  CHECK(elasticity("/workload/compute/forward") ==
        about(expected(time_s(1, 1, 1.1), time_s(1, 1, 1 / 1.1)), 1e-4));
}

TEST_CASE("elasticities to all times, less those to all rates, sum to 1") {
  const Sensitivity sensitivity = sensitivity_with(nlohmann::json::object());
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = 0;
    for (const char* time :
         {"/cluster/network/link/latency", "/workload/compute/forward", "/workload/compute/backward"})
      sum += at(sensitivity, time).elasticities[i].value;
    sum -= at(sensitivity, "/cluster/network/link/bandwidth").elasticities[i].value;
    CHECK(sum == about(1, 0.01));  // elasticities are from differences of 10 %, not from derivatives
  }
}

TEST_CASE("elasticities to random imbalance have errors, and a number at its upper bound is only decreased") {
  const Sensitivity sensitivity = sensitivity_with(
      {{"iterations", 62},
       {"workload", {{"imbalance", {{"kind", "gamma"}, {"coefficient_of_variation", 0.2}}}}}});
  const auto found = std::ranges::find_if(sensitivity.numbers, [](const NumberSensitivity& number) {
    return number.pointer.ends_with("coefficient_of_variation");
  });
  REQUIRE(found != sensitivity.numbers.end());
  CHECK(found->elasticities.front().value > 0.01);
  CHECK(found->elasticities.front().has_error());
  CHECK(found->elasticities.front().standard_error < found->elasticities.front().value);
  CHECK(at(sensitivity, "/cluster/goodput").is_one_sided);
  CHECK(at(sensitivity, "/cluster/goodput").elasticities.front().value < -0.1);
}

TEST_CASE("the error of an elasticity is that of the ratio of its two times") {
  const nlohmann::json gamma = {{"kind", "gamma"}, {"coefficient_of_variation", 0.2}};
  const auto with_forward = [&](double forward_s) {
    const nlohmann::json changes = {
        {"iterations", 62}, {"workload", {{"imbalance", gamma}, {"compute", {{"forward", forward_s}}}}}};
    return simulate(sensitive_scenario(changes)).runs.front().sampling;
  };
  const SampleEstimate ratio = ratio_of_times(with_forward(0.03 * 1.1), with_forward(0.03 / 1.1));
  const Sensitivity sensitivity =
      sensitivity_with({{"iterations", 62}, {"workload", {{"imbalance", gamma}}}});
  const SampleEstimate elasticity = at(sensitivity, "/workload/compute/forward").elasticities.front();
  CHECK(elasticity.value == about(std::log(ratio.value) / (2 * std::log(1.1)), 1e-6));
  CHECK(ratio.standard_error > 0);
  CHECK(elasticity.standard_error == about(ratio.standard_error / ratio.value / (2 * std::log(1.1)), 1e-6));
  CHECK(elasticity.degrees_of_freedom == ratio.degrees_of_freedom);
}

TEST_CASE("a number at its lower bound is only increased") {
  const auto slow_for = [](double iterations) -> nlohmann::json {
    return {{"iterations", 302},
            {"workload",
             {{"imbalance",
               {{"kind", "markov"}, {"slow_factor", 2}, {"mean_slow", iterations}, {"mean_fast", 10}}}}}};
  };
  const Sensitivity sensitivity = sensitivity_with(slow_for(1));
  const auto found = std::ranges::find_if(sensitivity.numbers, [](const NumberSensitivity& number) {
    return number.pointer.ends_with("mean_slow");
  });
  REQUIRE(found != sensitivity.numbers.end());
  CHECK(found->is_one_sided);
  const auto time_s = [&](double iterations) {
    return simulate(sensitive_scenario(slow_for(iterations))).runs.front().iteration_time_s.mean;
  };
  CHECK(time_s(1.1) > time_s(1));
  CHECK(found->elasticities.front().value ==
        about(std::log(time_s(1.1) / time_s(1)) / std::log(1.1), rounding_of_sums));
}

TEST_CASE(
    "measured times that replace the workload's vary together, and the workload's own only split them") {
  const ScratchFolder folder;
  const std::string file = folder.write("times.csv", "0,0,0.1\n1,0,0.1\n2,0,0.2\n3,0,0.1\n").string();
  const nlohmann::json trace = {{"kind", "trace"}, {"file", file}};
  const nlohmann::json pause = {{"kind", "pause"}, {"worker", 0}, {"iteration", 0}, {"duration", "1ms"}};
  const auto with = [](const nlohmann::json& imbalance) {
    return sensitivity_with({{"workload", {{"imbalance", imbalance}}}});
  };
  const Sensitivity sensitivity = with(trace);
  CHECK(sensitivity.times_in_place == "/workload/imbalance/file");
  const NumberSensitivity& times = at(sensitivity, "/workload/imbalance/file");
  CHECK(times.value.get<double>() == about(0.125));
  const std::string of_five =
      folder.write("five.csv", "0,0,0.1\n1,0,0.1\n2,0,0.2\n3,0,0.1\n4,0,9\n").string();
  const Sensitivity without_fifth = with({{"kind", "trace"}, {"file", of_five}});
  CHECK(at(without_fifth, "/workload/imbalance/file").value.get<double>() == about(0.125));
  const double iteration_s = sensitive_scenario_time_s({{"workload", {{"imbalance", trace}}}});
  // The slowest worker's 0.2 s are a part of the iteration, the rest of which does not change.
  const double expected =
      std::log((iteration_s + 0.2 * 0.1) / (iteration_s + 0.2 * (1 / 1.1 - 1))) / (2 * std::log(1.1));
  CHECK(times.elasticities.front().value == about(expected, 1e-9));
  const std::string text = sensitivity_table(sensitivity);
  const std::string said =
      "only split the times of /workload/imbalance/file, which are listed instead, over passes and layers: ";
  CHECK(text.find("\n/workload/imbalance/file ") != std::string::npos);
  REQUIRE(text.find(said) != std::string::npos);
  CHECK(text.find("/workload/compute/forward") > text.find(said));
  CHECK(with({pause, trace}).times_in_place == "/workload/imbalance/1/file");
  CHECK_FALSE(with(pause).times_in_place);
  CHECK(with({{"kind", "distribution"}, {"name", "cloud_resnet50_batch"}}).times_in_place ==
        "/workload/imbalance/name");
}

TEST_CASE("numbers are sorted by their effect, and those without effect are listed") {
  const Sensitivity sensitivity = sensitivity_with({{"workload", {{"optimizer_rate", "10000GBps"}}}});
  for (std::size_t i = 1; i < sensitivity.numbers.size(); ++i)
    CHECK(sensitivity.numbers[i - 1].greatest() >= sensitivity.numbers[i].greatest());
  const std::string text = sensitivity_table(sensitivity);
  CHECK(text.find("no effect (below 0.001): ") != std::string::npos);
  CHECK(text.find("/workload/optimizer_rate") > text.find("no effect (below 0.001): "));
  CHECK(sensitivity_json(sensitivity, "").at("numbers").size() == sensitivity.numbers.size());
}

TEST_CASE("a number whose error is large is not listed as without effect, and the table explains ±") {
  Sensitivity sensitivity{.labels = {"ddp"}, .step = 0.1, .numbers = {}};
  const auto text_with = [&](double value, double error) {
    sensitivity.numbers = {
        {.pointer = "/cluster/any", .value = 1.0, .kinks = {std::nullopt}, .name = "/cluster/any"}};
    sensitivity.numbers[0].elasticities = {
        {.value = value, .standard_error = error, .degrees_of_freedom = 9}};
    return sensitivity_table(sensitivity);
  };
  CHECK(text_with(0.0004, 0.0001).find("no effect (below 0.001): /cluster/any") != std::string::npos);
  CHECK(text_with(0.0004, 0.0001).find("±") == std::string::npos);
  const std::string hidden = text_with(0.0004, 0.02);
  CHECK(hidden.find("no effect") == std::string::npos);
  CHECK(hidden.find("\n/cluster/any  +0.000 ± 0.020\n") != std::string::npos);
  CHECK(hidden.find("\n±: standard error, by equal-weighted cosines\n") != std::string::npos);
}

TEST_CASE("less bandwidth of one of several equal links costs time, and more gains none") {
  const nlohmann::json link = {{"bandwidth", "10Gbps"}, {"latency", "50us"}};
  nlohmann::json star = {{"kind", "star"}, {"host_links", {link, link, link, link}}};
  star["link"] = nullptr;
  const nlohmann::json changes = {{"cluster", {{"network", star}}}};
  const Sensitivity sensitivity = sensitivity_with(changes);
  const NumberSensitivity& first = at(sensitivity, "/cluster/network/host_links/0/bandwidth");
  REQUIRE(first.kinks.front());
  CHECK(std::abs(first.kinks.front()->more) < 1e-9);
  CHECK(first.kinks.front()->less < -0.4);
  CHECK(first.elasticities.front().value ==
        about((first.kinks.front()->less + first.kinks.front()->more) / 2, rounding_of_sums));
  CHECK_FALSE(at(sensitivity, "/workload/compute/forward").kinks.front());
  CHECK(sensitivity_table(sensitivity).find("different effects of a decrease and of an increase") !=
        std::string::npos);
}

TEST_CASE("with a wanted precision all varied runs have as many iterations") {
  const nlohmann::json imbalance = {{"kind", "gamma"}, {"coefficient_of_variation", 0.3}};
  nlohmann::json changes = {{"iterations", {{"standard_error", 0.02}}},
                            {"workload", {{"imbalance", imbalance}}}};
  changes["warmup_iterations"] = nullptr;
  const Sensitivity sensitivity = sensitivity_with(changes);
  const SampleEstimate backward = at(sensitivity, "/workload/compute/backward").elasticities.front();
  // Both runs have the same draws: the error is that of a ratio of pairs, a tenth of that of the means.
  CHECK(backward.has_error());
  CHECK(backward.standard_error < 0.02);
}

TEST_CASE(
    "one-sided changes compare equal numbers of iterations, also where algorithms need different numbers") {
  const nlohmann::json imbalance = {{"kind", "gamma"}, {"coefficient_of_variation", 0.3}};
  nlohmann::json changes = {
      {"iterations", {{"standard_error", 0.005}}},
      {"workload", {{"imbalance", imbalance}}},
      {"algorithms", {{{"kind", "allreduce"}}, {{"kind", "local_sgd"}, {"period", 7}}}}};
  changes["warmup_iterations"] = nullptr;
  const Scenario scenario = sensitive_scenario(changes);
  const Result result = simulate(scenario);
  REQUIRE(result.runs[0].iterations < result.runs[1].iterations);
  const Sensitivity sensitivity = sensitivity_of(scenario, document_to_vary(scenario, changes), result);
  const NumberSensitivity& goodput = at(sensitivity, "/cluster/goodput");
  REQUIRE(goodput.is_one_sided);
  // With the same draws the error is at most a tenth of that of a mean; with others it would be 0.04.
  CHECK(goodput.elasticities.front().has_error());
  CHECK(goodput.elasticities.front().standard_error < 0.01);
}

TEST_CASE("latencies and efficiencies of a transport's protocols vary, too") {
  const nlohmann::json changes = {
      {"cluster", {{"transport", "nccl_ib"}, {"network", {{"link", {{"latency", "1us"}}}}}}}};
  const Sensitivity sensitivity = sensitivity_with(changes);
  const double iteration_s = simulate(sensitive_scenario(changes)).runs.front().iteration_time_s.mean;
  // Six steps of a ring with 14 us for the protocol Simple each; differences of 10 % give 0.2 % more than a
  // derivative.
  CHECK(at(sensitivity, "/cluster/protocols/2/latency").elasticities.front().value ==
        about(6 * 14e-6 / iteration_s, 1e-2));
  CHECK(at(sensitivity, "/cluster/protocols/2/latency").name == "/cluster/protocols/Simple/latency");
  CHECK(sensitivity_table(sensitivity).find("/cluster/protocols/2") == std::string::npos);
  CHECK(sensitivity_json(sensitivity, "").at("numbers")[0].at("name") == sensitivity.numbers[0].name);
  // An efficiency of 1 cannot grow.
  CHECK(at(sensitivity, "/cluster/protocols/2/efficiency").is_one_sided);
}

TEST_CASE(
    "pointers to numbers of an imbalance are those of the scenario, whether it is an object or a list") {
  const nlohmann::json cause = {{"kind", "gamma"}, {"coefficient_of_variation", 0.2}};
  const auto names = [](const nlohmann::json& imbalance) {
    const nlohmann::json changes = {{"workload", {{"imbalance", imbalance}}}};
    return numbers_that_vary(document_to_vary(sensitive_scenario(changes), changes)).back();
  };
  CHECK(names(cause) == "/workload/imbalance/coefficient_of_variation");
  CHECK(names(nlohmann::json::array({cause})) == "/workload/imbalance/0/coefficient_of_variation");
  const Sensitivity sensitivity = sensitivity_with({{"workload", {{"imbalance", cause}}}});
  CHECK(at(sensitivity, "/workload/imbalance/coefficient_of_variation").elasticities.size() == 2);
}

TEST_CASE("counts do not vary, and lists of numbers vary together") {
  const auto as_read = nlohmann::ordered_json::parse(
      R"({"seed": 1, "cluster": {"workers": 4, "a": 0.0, "b": {"c": [1.5, 2.5], "d": [1, 2]},
          "e": "unlimited"},
          "workload": {"imbalance": [{"delay": 0.1}]}})");
  CHECK(numbers_that_vary(as_read) ==
        std::vector<std::string>{"/cluster/b/c", "/workload/imbalance/0/delay"});
}

}  // namespace
}  // namespace starling
