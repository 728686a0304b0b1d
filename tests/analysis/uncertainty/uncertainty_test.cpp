#include "analysis/uncertainty/uncertainty.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "analysis/running/runner.hpp"
#include "analysis/uncertainty/uncertain_quantities.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "tests/analysis/uncertainty/with_changes.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr const char* uncertain_base = R"({
  "iterations": 4, "warmup_iterations": 1,
  "cluster": {"workers": 4, "transport": "ideal",
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "50us"}}},
  "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"}},
  "algorithms": [{"kind": "allreduce"}]})";

Scenario uncertain_scenario(const nlohmann::json& changes) {
  return with_changes(uncertain_base, changes, "uncertain.json");
}

nlohmann::json backward(const nlohmann::json& value) {
  return {{"workload", {{"compute", {{"backward", value}}}}}};
}

TEST_CASE("a quantity with an error is read and written with its error") {
  const Scenario scenario = uncertain_scenario(backward({{"value", "60ms"}, {"relative_error", 0.1}}));
  const auto quantities = uncertain_quantities(scenario.as_read);
  REQUIRE(quantities.size() == 1);
  CHECK(quantities[0].pointer == "/workload/compute/backward");
  CHECK(quantities[0].value == about(0.06));
  CHECK(quantities[0].relative_error == 0.1);
  const Scenario again = read_scenario_document(scenario.as_read, "again.json");
  CHECK(again.as_read == scenario.as_read);
  const Scenario certain = uncertain_scenario(nlohmann::json::object());
  CHECK(simulate(scenario).runs[0].iteration_time_s.mean == simulate(certain).runs[0].iteration_time_s.mean);
}

TEST_CASE("an error that would let a quantity fall below zero is refused") {
  CHECK_THROWS_WITH_AS(uncertain_scenario(backward({{"value", "60ms"}, {"relative_error", 1}})),
                       doctest::Contains("/workload/compute/backward/relative_error"), ScenarioError);
  CHECK_THROWS_AS(uncertain_scenario(backward({{"value", "60ms"}, {"relative_error", -0.1}})), ScenarioError);
  CHECK_THROWS_AS(uncertain_scenario(backward({{"value", "60ms"}})), ScenarioError);
  CHECK_THROWS_AS(uncertain_scenario(backward({{"value", "60ms"}, {"error", 0.1}})), ScenarioError);
}

TEST_CASE("the interval of a prediction is that of the lognormal distribution of the drawn quantity") {
  constexpr double error = 0.1;
  const Scenario scenario = uncertain_scenario(backward({{"value", "60ms"}, {"relative_error", error}}));
  const Result result = with_uncertainty(scenario, {.draws = 400, .jitters = 0});
  const double sigma = std::sqrt(std::log1p(error * error));
  const auto quantile_of_backward_s = [&](double normal) {
    return 0.06 * std::exp(sigma * normal - sigma * sigma / 2);
  };
  const double rest_s = result.runs[0].iteration_time_s.mean - 0.06;
  const Interval& interval = result.runs[0].uncertainty->interval_90_s;
  // The standard error of a 5 % quantile of 400 draws is about a tenth of the standard deviation, 0.6 ms:
  // five of these are 1.5 % of an iteration of 213 ms.
  CHECK(interval.least == about(rest_s + quantile_of_backward_s(-1.645), 0.015));
  CHECK(interval.greatest == about(rest_s + quantile_of_backward_s(1.645), 0.015));
}

/// A single worker whose iteration consists of a drawn backward time only.
Scenario drawn_time(double base_s, double error, int seed) {
  nlohmann::json changes = backward({{"value", base_s}, {"relative_error", error}});
  changes["cluster"]["workers"] = 1;
  changes["workload"]["compute"]["forward"] = 0;
  changes["seed"] = seed;
  return uncertain_scenario(changes);
}

TEST_CASE("an interval from 39 draws leaves out the least and the greatest one, from one or two draws none") {
  const Scenario scenario = drawn_time(0.06, 0.1, 7);
  const auto quantities = uncertain_quantities(scenario.as_read);
  std::vector<double> drawn_s;
  const auto interval = [&](int draws) {
    return with_uncertainty(scenario, {.draws = draws, .jitters = 0}).runs[0].uncertainty->interval_90_s;
  };
  for (std::uint64_t draw = 0; draw < 39; ++draw)
    drawn_s.push_back(
        with_drawn(scenario.as_read, quantities, scenario.seed, draw)["workload"]["compute"]["backward"]
            .get<double>());
  CHECK(interval(1).least == about(drawn_s[0]));
  CHECK(interval(1).greatest == about(drawn_s[0]));
  CHECK(interval(2).least == about(std::min(drawn_s[0], drawn_s[1])));
  CHECK(interval(2).greatest == about(std::max(drawn_s[0], drawn_s[1])));
  std::ranges::sort(drawn_s);
  CHECK(interval(39).least == about(drawn_s[1]));  // the 0.05 · (39 + 1)-th smallest
  CHECK(interval(39).greatest == about(drawn_s[37]));
}

TEST_CASE("an interval from 20 draws contains 90 % of the distribution on average") {
  constexpr double error = 0.1;
  constexpr double base_s = 0.06;
  const double sigma = std::sqrt(std::log1p(error * error));
  constexpr int seeds = 60;
  double inside = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Result result = with_uncertainty(drawn_time(base_s, error, seed), {.draws = 20, .jitters = 0});
    const Interval& interval = result.runs[0].uncertainty->interval_90_s;
    const auto share_below = [&](double time_s) {
      const double normal = (std::log(time_s / base_s) + sigma * sigma / 2) / sigma;
      return std::erfc(-normal / std::numbers::sqrt2) / 2;
    };
    inside += share_below(interval.greatest) - share_below(interval.least);
  }
  // The probability between the 1.05th and the 19.95th of 20 draws has the mean 18.9/21 and the standard
  // deviation 0.064 (a beta distribution); three standard errors are allowed. That between the 5 % and 95 %
  // sample quantiles has only the mean 17.1/21.
  CHECK(std::abs(inside / seeds - 0.9) < 3 * 0.064 / std::sqrt(seeds));
}

TEST_CASE("draws that make the scenario invalid are repeated, and counted") {
  // nccl_ib accepts at most 50 us between hosts, two links of 22 us and more.
  const Scenario scenario = uncertain_scenario(
      {{"cluster",
        {{"transport", "nccl_ib"},
         {"network", {{"link", {{"latency", {{"value", "22us"}, {"relative_error", 0.3}}}}}}}}}});
  Result result = simulate(scenario);
  CHECK(find_uncertainty(scenario, {.draws = 20, .jitters = 0}, result) > 0);
  CHECK(result.runs[0].uncertainty);
}

TEST_CASE("the model error widens the interval in addition to drawn quantities") {
  const UncertaintyOptions options{.draws = 20, .jitters = 0};
  const nlohmann::json model_error = {{"cluster", {{"model_error", 0.3}}}};
  const Result sure = with_uncertainty(uncertain_scenario(model_error), options);
  const double mean_s = sure.runs[0].iteration_time_s.mean;
  CHECK(sure.runs[0].uncertainty->interval_90_s.least == about(mean_s / 1.3));
  CHECK(sure.runs[0].uncertainty->interval_90_s.greatest == about(mean_s * 1.3));
  nlohmann::json changes = backward({{"value", "60ms"}, {"relative_error", 0.1}});
  const Interval drawn =
      with_uncertainty(uncertain_scenario(changes), options).runs[0].uncertainty->interval_90_s;
  changes.merge_patch(model_error);
  const Interval both =
      with_uncertainty(uncertain_scenario(changes), options).runs[0].uncertainty->interval_90_s;
  const auto beyond = [&](double end_s) { return std::log(end_s / mean_s); };
  CHECK(beyond(both.greatest) == about(std::hypot(beyond(drawn.greatest), std::log(1.3))));
  CHECK(beyond(both.least) == about(-std::hypot(beyond(drawn.least), std::log(1.3))));
}

TEST_CASE("a prediction without random effects has an interval of no width, and none in the table") {
  const Scenario scenario = uncertain_scenario(nlohmann::json::object());
  const Result result = with_uncertainty(scenario, {.draws = 3, .jitters = 3});
  CHECK(uncertainty_table(scenario, {}, result).find("nothing varies") != std::string::npos);
  const RunResult& run = result.runs[0];
  CHECK(run.uncertainty->interval_90_s.least == run.iteration_time_s.mean);
  CHECK(run.uncertainty->interval_90_s.greatest == run.iteration_time_s.mean);
  CHECK_FALSE(run.uncertainty->decided_by_ties_s);
}

TEST_CASE("uncertain quantities are found in lists, too, with their JSON pointer") {
  const auto quantities =
      uncertain_quantities({{"all", {1, {{"of", {{"value", 2}, {"relative_error", 0.5}}}}}}});
  REQUIRE(quantities.size() == 1);
  CHECK(quantities[0].pointer == "/all/1/of");
  CHECK(quantities[0].value == 2);
}

TEST_CASE("draws have the value as mean, and its relative error as standard deviation") {
  const Scenario scenario = uncertain_scenario(backward({{"value", "60ms"}, {"relative_error", 0.5}}));
  const auto quantities = uncertain_quantities(scenario.as_read);
  constexpr int draws = 4000;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const double ratio =
        with_drawn(scenario.as_read, quantities, 1, draw)["workload"]["compute"]["backward"].get<double>() /
        0.06;
    sum += ratio;
    squares += (ratio - 1) * (ratio - 1);
  }
  // Three standard errors: of the mean 0.5/√n; of the variance, of a lognormal law of a kurtosis of 8.04
  // (w⁴ + 2w³ + 3w² − 3 with w = 1.25), 0.25·√(7.04/n).
  CHECK(std::abs(sum / draws - 1) < 3 * 0.5 / std::sqrt(draws));
  CHECK(std::abs(squares / draws - 0.25) < 3 * 0.25 * std::sqrt(7.04 / draws));
}

TEST_CASE("a draw depends on its number and the seed only") {
  const Scenario scenario = uncertain_scenario(backward({{"value", "60ms"}, {"relative_error", 0.5}}));
  const auto quantities = uncertain_quantities(scenario.as_read);
  const auto drawn = [&](std::uint64_t seed, std::uint64_t draw) {
    return with_drawn(scenario.as_read, quantities, seed, draw)["workload"]["compute"]["backward"]
        .get<double>();
  };
  CHECK(drawn(1, 3) == drawn(1, 3));
  CHECK(drawn(1, 3) != drawn(1, 4));
  CHECK(drawn(2, 3) != drawn(1, 3));
  for (std::uint64_t draw = 0; draw < 1000; ++draw) CHECK(drawn(1, draw) > 0);
}

}  // namespace
}  // namespace starling
