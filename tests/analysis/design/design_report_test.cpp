#include "analysis/design/design_report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "analysis/design/design_picture.hpp"
#include "io/scenario_error.hpp"
#include "tests/analysis/design/small_designs.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

DesignStudy study_in(const ScratchFolder& folder, const std::string& target) {
  nlohmann::json family = small_families()[0];
  family["vary"][0]["/cluster/network/link/bandwidth"] = {"10Gbps", "25Gbps", "100Gbps"};
  const nlohmann::json study{{"base", small_base(R"([{"kind": "allreduce"}, {"kind": "ddp"}])")},
                             {"families", {family}},
                             {"target", target}};
  return read_design({.file = folder.write("study.json", study.dump())});
}

/// A finding of three seeds (2 degrees of freedom) with this mean and standard error of the iteration time.
CandidateFinding tried(double time_s, double error_s) {
  const SampleEstimate estimate{.value = time_s, .standard_error = error_s, .degrees_of_freedom = 2};
  return {.objective_s = estimate, .iteration_time_s = estimate};
}

/// A study of stars with three bandwidths at rising prices, each with allreduce and ddp: candidates 0 and 1,
/// 2 and 3, 4 and 5.
struct DesignExample {
  ScratchFolder folder;
  DesignStudy study;
  DesignSpace space;

  explicit DesignExample(const std::string& target = "110ms")
      : study(study_in(folder, target)), space(design_space(study)) {}

  DesignAnswer answer(const std::vector<CandidateFinding>& findings) const {
    return design_answer(study, space, findings);
  }
};

/// Findings for the six candidates of DesignExample; the last was not run, as its lower bound is hardly
/// better.
std::vector<CandidateFinding> six_findings() {
  std::vector<CandidateFinding> findings{tried(0.3, 0.001),  tried(0.31, 0.001),  tried(0.12, 0.001),
                                         tried(0.109, 0.01), tried(0.105, 0.001), {}};
  findings.back() = {.state = CandidateState::without_gain, .reason = "no gain", .least_s = 0.104};
  return findings;
}

TEST_CASE("the Pareto front holds the candidates that no candidate of the same price or less beats") {
  const DesignExample example;
  const DesignAnswer answer = example.answer(six_findings());
  CHECK(answer.front == std::vector<std::int64_t>{0, 3, 4});
  CHECK(answer.best == 4);
}

TEST_CASE("the cheapest network is chosen by means, and the cheapest for sure by intervals") {
  const DesignExample example;
  const DesignAnswer answer = example.answer(six_findings());
  CHECK(answer.cheapest == 3);
  CHECK(answer.cheapest_for_sure == 4);
  const auto findings = six_findings();
  const std::string text = design_table({example.study, example.space, findings, answer});
  CHECK(text.find("The cheapest network that reaches 110.0 ms: star, bandwidth=25Gbps with ddp, ") !=
        std::string::npos);
  CHECK(text.find("The cheapest one whose interval does not: star, bandwidth=100Gbps with allreduce, ") !=
        std::string::npos);
}

TEST_CASE("the text explains ± where it shows errors") {
  DesignExample example;
  auto findings = six_findings();
  const auto text = [&] {
    return design_table({example.study, example.space, findings, example.answer(findings)});
  };
  example.study.seeds = 3;
  CHECK(text().find("\n±: standard error of the mean, from 3 seeds\n\n") != std::string::npos);
  example.study.seeds = 1;
  CHECK(text().find("\n±: standard error of the mean, by equal-weighted cosines\n\n") != std::string::npos);
  for (CandidateFinding& finding : findings) finding.objective_s.standard_error = 0;
  CHECK(text().find("±") == std::string::npos);
}

TEST_CASE("the text says where the cheapest network has no interval") {
  const DesignExample example;
  const auto text_with = [&](const std::vector<CandidateFinding>& findings) {
    return design_table({example.study, example.space, findings, example.answer(findings)});
  };
  auto findings = six_findings();
  findings[3].objective_s = {.value = 0.109};  // a single seed has no standard error
  CHECK(text_with(findings).find("It has no 95 % interval, so that is uncertain. The cheapest one whose "
                                 "interval does not extend beyond the target: star, bandwidth=100Gbps") !=
        std::string::npos);
  CHECK(text_with(findings).find("Its 95 %") == std::string::npos);
  findings[4].objective_s = {.value = 0.105};
  CHECK(text_with(findings).find("so that is uncertain. No candidate certainly reaches it; more "
                                 "seeds or iterations narrow the intervals.\n") != std::string::npos);
  findings[3] = tried(0.109, 0.01);
  CHECK(text_with(findings).find("Its 95 % interval extends beyond the target. No candidate certainly "
                                 "reaches it; more seeds or iterations narrow the intervals.\n") !=
        std::string::npos);
}

TEST_CASE("an algorithm that may be faster leaves its network undecided") {
  const DesignExample example;
  const DesignAnswer answer = example.answer(six_findings());
  CHECK(answer.wins[0].networks == std::vector<std::size_t>{0});
  CHECK(answer.wins[1].networks == std::vector<std::size_t>{1});
  CHECK(answer.undecided == std::vector<std::size_t>{2});
  auto findings = six_findings();
  findings.back().least_s = 0.2;
  CHECK(example.answer(findings).wins[0].networks == std::vector<std::size_t>{0, 2});
}

TEST_CASE("times that differ only by rounding are a tie, which the first candidate wins") {
  const DesignExample example;
  const double less_s = 0.1 * (1 - 0x1p-50);
  const std::vector<CandidateFinding> findings(6, tried(0.1, 0.001));
  auto rounded = findings;
  for (const std::size_t ddp : {1U, 3U, 5U}) rounded[ddp] = tried(less_s, 0.001);
  rounded.back() = {.state = CandidateState::without_gain, .reason = "no gain", .least_s = less_s};
  for (const auto& each : {findings, rounded}) {
    const DesignAnswer answer = example.answer(each);
    CHECK(answer.front == std::vector<std::int64_t>{0});
    CHECK(answer.wins[0].networks == std::vector<std::size_t>{0, 1, 2});
    CHECK(answer.undecided.empty());
  }
}

TEST_CASE("where no candidate reaches the target, the text says so") {
  const DesignExample example("1ms");
  const auto findings = six_findings();
  const DesignAnswer answer = example.answer(findings);
  CHECK(!answer.cheapest.has_value());
  CHECK(design_table({example.study, example.space, findings, answer})
            .find("Nothing reaches 1.000 ms; the best") != std::string::npos);
}

TEST_CASE("where no candidate is worth a run, the text gives the best lower bound or the lowest price") {
  const DesignExample example;
  const auto text_of = [&](const CandidateFinding& first, const CandidateFinding& others) {
    std::vector<CandidateFinding> findings(6, others);
    findings.front() = first;
    return design_table({example.study, example.space, findings, example.answer(findings)});
  };
  const CandidateFinding over_budget{.state = CandidateState::over_budget};
  const CandidateFinding slow{.state = CandidateState::out_of_reach, .least_s = 0.2};
  const CandidateFinding less_slow{.state = CandidateState::out_of_reach, .least_s = 0.12};
  CHECK(
      text_of(slow, less_slow)
          .starts_with("No candidate can reach 110.0 ms: by lower bounds the best possible is 120.0 ms.\n"));
  CHECK(text_of(slow, over_budget)
            .starts_with("No candidate within the budget can reach 110.0 ms: by lower bounds the best "
                         "possible is 200.0 ms.\n"));
  CHECK(text_of(over_budget, over_budget)
            .starts_with("Every network costs more than the budget; the cheapest one costs "));
}

TEST_CASE("the front is said to end at the target only where dearer candidates were skipped") {
  const DesignExample example;
  auto findings = six_findings();
  const auto text = [&] {
    return design_table({example.study, example.space, findings, example.answer(findings)});
  };
  CHECK(text().starts_with("Pareto front, from the cheapest to the best candidate:\n"));
  findings.back() = {.state = CandidateState::dearer};
  CHECK(text().starts_with("Pareto front, from the cheapest to the best candidate, up to the target:\n"));
}

TEST_CASE("every candidate has a row in CSV and an object in JSON, whether it was run or not") {
  const DesignExample example;
  const auto findings = six_findings();
  const DesignAnswer answer = example.answer(findings);
  const std::string csv = design_csv({example.study, example.space, findings, answer});
  CHECK(std::ranges::count(csv, '\n') == 7);
  const std::string header = csv.substr(0, csv.find('\n'));
  for (std::size_t start = 0; start < csv.size(); start = csv.find('\n', start) + 1) {
    // Networks are JSON with commas between quotes.
    int fields = 1;
    bool is_quoted = false;
    for (std::size_t i = start; csv[i] != '\n'; ++i) {
      if (csv[i] == '"') is_quoted = !is_quoted;
      if (csv[i] == ',' && !is_quoted) ++fields;
    }
    CHECK(fields == std::ranges::count(header, ',') + 1);
  }
  const auto document = design_json({example.study, example.space, findings, answer});
  CHECK(document.at("candidates").size() == 6);
  CHECK(document.at("networks").size() == 3);
  CHECK(document.at("candidates")[5].at("state") == "without_gain");
  CHECK(document.at("candidates")[5].at("objective").is_null());
  CHECK(document.at("candidates")[3].at("objective_interval_95")[1] > 0.110);
  CHECK(document.at("front") == nlohmann::ordered_json({0, 3, 4}));
}

TEST_CASE("higher throughputs are better, and their intervals are in samples per second") {
  DesignExample example;
  example.study.objective = DesignObjective::throughput;
  example.study.target = 9.0;
  const auto findings = six_findings();
  const DesignAnswer answer = example.answer(findings);
  CHECK(answer.cheapest == 3);
  const auto document = design_json({example.study, example.space, findings, answer});
  CHECK(document.at("candidates")[4].at("objective").get<double>() == about(1 / 0.105));
  const auto interval = document.at("candidates")[4].at("objective_interval_95");
  CHECK(interval[0].get<double>() < 1 / 0.105);
  CHECK(interval[1].get<double>() > 1 / 0.105);
}

TEST_CASE("no interval of a time begins below 0, in text, JSON, CSV and picture") {
  const DesignExample example;
  auto findings = six_findings();
  findings[4] = tried(0.1, 0.1);  // ± 4.3 standard errors, Student's t for 2 degrees of freedom at 95 %
  const DesignAnswer answer = example.answer(findings);
  CHECK(design_table({example.study, example.space, findings, answer}).find("  0 s to 530.3 ms\n") !=
        std::string::npos);
  const auto document = design_json({example.study, example.space, findings, answer});
  CHECK(document.at("candidates")[4].at("objective_interval_95")[0] == 0);
  CHECK(design_csv({example.study, example.space, findings, answer}).find(",0.1,0,0.53") !=
        std::string::npos);
  CHECK(design_plot({example.study, example.space, findings, answer}, "a.svg").find(" 100 0 530.2") !=
        std::string::npos);
}

TEST_CASE("the interval of a throughput has no upper end where that of the time begins at 0") {
  DesignExample example;
  example.study.objective = DesignObjective::throughput;
  example.study.target.reset();
  auto findings = six_findings();
  findings[4] = tried(0.0001, 0.0001);  // 4.3 standard errors to either side
  const DesignAnswer answer = example.answer(findings);
  const auto document = design_json({example.study, example.space, findings, answer});
  const auto interval = document.at("candidates")[4].at("objective_interval_95");
  CHECK(interval[0].get<double>() < 10000);
  CHECK(interval[1].is_null());
  const std::string text = design_table({example.study, example.space, findings, answer});
  CHECK(text.find("  1,886 to –\n") != std::string::npos);
  const std::string csv = design_csv({example.study, example.space, findings, answer});
  CHECK(csv.find("inf") == std::string::npos);
  CHECK(design_plot({example.study, example.space, findings, answer}, "a.svg").find(" 10000 10000 1885.8") !=
        std::string::npos);
  findings[4] = tried(0, 0);
  CHECK(design_csv({example.study, example.space, findings, answer}).find("inf") == std::string::npos);
}

TEST_CASE("an iteration time of 0 has no throughput, in text and picture") {
  DesignExample example;
  example.study.objective = DesignObjective::throughput;
  example.study.target.reset();
  auto findings = six_findings();
  findings[4] = tried(0, 0);
  const DesignAnswer answer = example.answer(findings);
  REQUIRE(answer.best == 4);
  const std::string text = design_table({example.study, example.space, findings, answer});
  CHECK(text.find("inf") == std::string::npos);
  CHECK(text.find(", no time per sample.\n") != std::string::npos);
  const std::string script = design_plot({example.study, example.space, findings, answer}, "a.svg");
  CHECK_FALSE(script.empty());
  CHECK(script.find("inf") == std::string::npos);
  std::ranges::fill(findings, tried(0, 0));
  CHECK(design_plot({example.study, example.space, findings, example.answer(findings)}, "a.svg").empty());
}

TEST_CASE("a picture shows the candidates that were run, and a key with what is drawn") {
  DesignExample example;
  const auto findings = six_findings();
  const DesignAnswer answer = example.answer(findings);
  const auto has = [&](const std::string& part) {
    const std::string script = design_plot({example.study, example.space, findings, answer}, "a.svg");
    return script.find(part) != std::string::npos;
  };
  CHECK(has("$front"));
  for (const std::string name : {"study", "ddp", "95 % interval", "Pareto front", "target"}) {
    CAPTURE(name);
    CHECK(has("set label '" + name + "' at screen"));
  }
  CHECK_FALSE(has("'budget'"));
  example.study.budget = 1e6;  // far beyond all prices
  CHECK_FALSE(has("'budget'"));
  example.study.budget = 3000;
  CHECK(has("'budget'"));
  CHECK(has("set arrow from 3, graph 0 to 3, graph 1"));
  CHECK_THROWS_AS(design_plot({example.study, example.space, findings, answer}, "a.gif"), ScenarioError);
}

TEST_CASE("the Pareto front's points are drawn above all others, and larger") {
  const DesignExample example;
  const auto findings = six_findings();
  const DesignAnswer answer = example.answer(findings);
  REQUIRE(answer.front == std::vector<std::int64_t>{0, 3, 4});
  const std::string script = design_plot({example.study, example.space, findings, answer}, "a.svg");
  const std::string drawn = script.substr(script.rfind("plot $front using 1:2 with steps"));
  CHECK(drawn.find("$front0 using") > drawn.find("$algorithm1 using"));
  CHECK(drawn.find("$front1 using 1:2:3:4 with yerrorbars lc rgb '#D55E00' pt 5 ps 1.4") !=
        std::string::npos);
}

TEST_CASE("a logarithmic axis spans what is drawn, and has several numbers") {
  const DesignExample example;
  auto findings = six_findings();
  findings[2] = tried(0.12, 0.1);  // whose interval begins at 0
  findings[3] = tried(0.109, 0);
  findings[4] = tried(2.4, 0);
  const DesignAnswer answer = example.answer(findings);
  const std::string script = design_plot({example.study, example.space, findings, answer}, "a.svg");
  const std::string before = "set logscale y\nset yrange [";
  REQUIRE(script.find(before) != std::string::npos);
  const std::string range = script.substr(script.find(before) + before.size());
  CHECK(std::stod(range) == about(0.109 / 1.2));
  CHECK(std::stod(range.substr(range.find(':') + 1)) == about(2.4 * 1.2));
  CHECK(range.find("]\nset ytics (0.1, 0.2, 0.5, 1, 2)\n") != std::string::npos);
}

TEST_CASE("where prices and times are 0 the axes of a picture still have a length") {
  DesignExample example;
  example.study.target.reset();
  for (DesignNetwork& network : example.space.networks) network.price = 0;
  const std::vector<CandidateFinding> findings(6, tried(0, 0));
  const DesignAnswer answer = example.answer(findings);
  const std::string script = design_plot({example.study, example.space, findings, answer}, "a.svg");
  CHECK(script.find("set xrange [0:1]\n") != std::string::npos);
  CHECK(script.find("set yrange [0:1]\n") != std::string::npos);
}

}  // namespace
}  // namespace starling
