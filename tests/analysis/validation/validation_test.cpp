#include "analysis/validation/validation.hpp"

#include <doctest/doctest.h>

#include "io/scenario_error.hpp"
#include "io/version.hpp"
#include "tests/analysis/results/saved_results.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

std::string problem_of(const SavedResult& predicted, const SavedResult& measured) {
  try {
    compare(predicted, measured);
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("The error of a case is predicted over measured time less one") {
  const Validation validation = compare(saved_result("event", {saved_run("ddp", 1.1)}),
                                        saved_result("mpi", {measured_run("ddp", 1.0, 0.004)}));
  REQUIRE(validation.cases.size() == 1);
  const ValidationCase& one = validation.cases.front();
  CHECK(one.label == "ddp");
  CHECK(one.workers == 4);
  CHECK(one.network == "star 25.00 MB/s 100.0 us");
  CHECK(one.imbalance == "none");
  CHECK(one.engine == "event");
  CHECK(one.relative_error() == about(0.1, 1e-12));
  CHECK(one.repetitions == 5);
  CHECK(one.coefficient_of_variation == 0.004);
  CHECK(validation.warnings.empty());
}

TEST_CASE("The phase that differs is the one with the greatest difference in seconds") {
  SavedRun prediction = saved_run("ddp", 1.1);
  prediction.breakdown_s.forward = 0.3;  // 0.2 s more than measured; communication 0.1 s more
  const Validation validation =
      compare(saved_result("event", {prediction}), saved_result("mpi", {measured_run("ddp", 1.0, 0)}));
  const PhaseComparison phase = validation.cases.front().phase_that_differs();
  CHECK(std::string(phase.part.key) == "forward");
  CHECK(phase.difference_s() == about(0.2, 1e-12));
}

TEST_CASE("Folders of prediction and measurement in the wrong order are refused") {
  const SavedResult predicted = saved_result("event", {saved_run("ddp", 1)});
  const SavedResult measured = saved_result("mpi", {measured_run("ddp", 1, 0)});
  CHECK(problem_of(measured, predicted) ==
        "mpi/result.json: /engine: is a measurement, not a prediction, got \"mpi\", expected the folder of "
        "the prediction first, then that of the measurement");
  CHECK(contains(problem_of(predicted, predicted), "is a prediction, not a measurement, got \"event\""));
}

TEST_CASE("A measurement of another scenario is refused, and every difference is named") {
  const SavedResult predicted = saved_result("event", {saved_run("ddp", 1)});
  SavedResult measured = saved_result("mpi", {measured_run("ddp", 1, 0)});
  measured.scenario["cluster"]["workers"] = 8;
  measured.scenario["workload"]["imbalance"] = {{"kind", "lognormal"}};
  const std::string problem = problem_of(predicted, measured);
  CHECK(contains(problem, "/cluster/workers is 4 in the prediction and 8 in the measurement"));
  CHECK(contains(
      problem,
      "/workload/imbalance is nothing in the prediction and {\"kind\":\"lognormal\"} in the measurement"));
}

TEST_CASE("Additional elements of a list are named with their place and value") {
  SavedResult predicted = saved_result("event", {saved_run("ddp", 1)});
  SavedResult measured = saved_result("mpi", {measured_run("ddp", 1, 0)});
  predicted.scenario["workload"]["imbalance"] = nlohmann::json::array({"a"});
  measured.scenario["workload"]["imbalance"] = nlohmann::json::array({"a", "b", "c"});
  const std::string more = problem_of(predicted, measured);
  CHECK(contains(more,
                 "/workload/imbalance/1 is nothing in the prediction and \"b\" in the measurement; "
                 "/workload/imbalance/2 is nothing in the prediction and \"c\" in the measurement"));
  measured.scenario["workload"]["imbalance"] = nlohmann::json::array();
  CHECK(contains(problem_of(predicted, measured),
                 "/workload/imbalance/0 is \"a\" in the prediction and nothing in the measurement"));
}

TEST_CASE("Different contents of files show in the bytes of deterministic algorithms and in compute times") {
  const auto result = [](const std::string& engine, const std::string& label, double bytes) {
    SavedRun run = saved_run(label, 1);
    run.iterations = 10;
    run.bytes_per_worker_per_iteration = bytes;
    return saved_result(engine, {run});
  };
  CHECK(contains(problem_of(result("event", "ddp", 6e5), result("mpi", "ddp", 12e5)),
                 "with ddp a worker sends 600.0 kB per iteration in the prediction and 1.200 MB in the "
                 "measurement"));
  CHECK(problem_of(result("event", "ddp", 6e5), result("mpi", "ddp", 6e5)) == "");
  CHECK(problem_of(result("event", "eager_solo", 6e5), result("mpi", "eager_solo", 12e5)) == "");

  SavedResult predicted = saved_result("event", {saved_run("ddp", 1)});
  SavedResult measured = saved_result("mpi", {saved_run("ddp", 1)});
  predicted.document = {{"compute", {{"forward_s", 0.02}, {"backward_s", 0.04}}}};
  measured.document = predicted.document;
  CHECK(problem_of(predicted, measured) == "");
  measured.document["compute"]["forward_s"] = 0.03;
  CHECK(contains(problem_of(predicted, measured), "/compute/forward_s is 0.02 in the prediction and 0.03"));
}

TEST_CASE("There is a warning if only the hash shows that a file had other contents") {
  SavedResult predicted = saved_result("event", {saved_run("ddp", 1)});
  SavedResult measured = saved_result("mpi", {saved_run("ddp", 1)});
  predicted.document = {{"starling", "0.2.0"}, {"scenario_hash", "a"}};
  measured.document = predicted.document;
  CHECK(compare(predicted, measured).warnings.empty());
  measured.document["scenario_hash"] = "b";
  const auto warnings = compare(predicted, measured).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "a file that the scenario names had different contents in the measurement");
  measured.document["starling"] = "0.1.0";
  const auto of_versions = compare(predicted, measured).warnings;
  REQUIRE(of_versions.size() == 1);
  CHECK(of_versions[0].starts_with("/starling "));
}

TEST_CASE(
    "Options that affect only predictions, or that an older version did not know, do not contradict a "
    "measurement") {
  SavedResult measured = saved_result("mpi", {saved_run("ddp", 1)});
  measured.document = {{"starling", version()}};
  nlohmann::json asked = measured.scenario;
  asked["engine"] = "tcp";
  asked["cluster"]["host_latency"] = 1e-6;
  asked["workload"]["communication_slowdown"] = 0.1;
  CHECK(differences_from_measured(asked, measured).empty());
  asked["cluster"]["network"]["path_choice"] = "hash";
  CHECK(differences_from_measured(asked, measured).size() == 1);
  measured.document["starling"] = "0.1.0";
  CHECK(differences_from_measured(asked, measured).empty());
  asked["iterations"] = 11;
  CHECK(differences_from_measured(asked, measured).size() == 1);
}

TEST_CASE("There is a warning for a measurement on a busy machine") {
  const SavedResult predicted = saved_result("event", {saved_run("ddp", 1), saved_run("wfbp", 1)});
  SavedResult measured = saved_result("mpi", {measured_run("ddp", 1, 0.01), measured_run("wfbp", 1, 0.07)});
  measured.runs[0].mean_late_s = 0.04;
  measured.runs[1].mean_late_s = 0.001;
  const std::vector<std::string> warnings = compare(predicted, measured).warnings;
  REQUIRE(warnings.size() == 2);
  CHECK(contains(warnings[0], "computing of ddp was late by 4.0 % of the iteration"));
  CHECK(contains(warnings[1], "the repetitions of wfbp differ by 7 %"));
}

TEST_CASE("A prediction of emulated computing may be compared with a measurement of real computing") {
  SavedResult predicted = saved_result("event", {saved_run("ddp", 1)});
  SavedResult measured = saved_result("mpi", {measured_run("ddp", 1, 0)});
  predicted.scenario["workload"]["compute"] = {{"forward", 1.0}, {"kind", "emulated"}};
  predicted.scenario["workload"]["communication_slowdown"] = 0.2;
  measured.scenario["workload"]["compute"] = {{"forward", 1.0}, {"kind", "gemm"}};
  CHECK(problem_of(predicted, measured) == "");
  measured.scenario["workload"]["compute"]["forward"] = 2.0;
  CHECK(contains(problem_of(predicted, measured),
                 "/workload/compute/forward is 1.0 in the prediction and 2.0"));
}

TEST_CASE("Another algorithm under the same label is refused, but notes of results are no difference") {
  SavedResult predicted = saved_result("event", {saved_run("mine", 1)});
  SavedResult measured = saved_result("mpi", {measured_run("mine", 1, 0)});
  predicted.runs[0].algorithm = {
      {"kind", "dpsgd"}, {"graph", "ring"}, {"spectral_gap", 0.5}, {"spectral_gap_per_iteration", 0.5}};
  measured.runs[0].algorithm = {{"kind", "dpsgd"}, {"graph", "ring"}};
  CHECK(problem_of(predicted, measured) == "");
  measured.runs[0].algorithm["graph"] = "complete";
  CHECK(contains(problem_of(predicted, measured),
                 "mine is not the algorithm that was predicted: /graph is \"ring\" in the prediction and "
                 "\"complete\" in the measurement"));
}

TEST_CASE("There is a warning for each difference of seeds and networks") {
  const SavedResult predicted = saved_result("event", {saved_run("ddp", 1)});
  SavedResult measured = saved_result("mpi", {measured_run("ddp", 1, 0)});
  measured.scenario["seed"] = 2;
  measured.scenario["cluster"]["network"]["kind"] = "ring";
  const auto warnings = compare(predicted, measured).warnings;
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0] == "/seed is 1 in the prediction and 2 in the measurement");
  CHECK(warnings[1] == "/cluster/network/kind is \"star\" in the prediction and \"ring\" in the measurement");
}

TEST_CASE("There is a warning for means over several seeds and for drifting iterations") {
  SavedRun ddp = saved_run("ddp", 1);
  ddp.seeds = 3;
  SavedRun dear = saved_run("dear", 1);
  dear.is_drifting = true;
  SavedRun measured_ddp = measured_run("ddp", 1, 0);
  measured_ddp.is_drifting = true;
  const auto warnings = compare(saved_result("event", {ddp, dear}),
                                saved_result("mpi", {measured_ddp, measured_run("dear", 1, 0)}))
                            .warnings;
  CHECK(warnings ==
        std::vector<std::string>{"ddp was predicted as a mean over 3 seeds, and measured with one",
                                 "iteration times of ddp still drift while counted in the measurement",
                                 "iteration times of dear still drift while counted in the prediction"});
}

TEST_CASE(
    "Algorithms are matched by label; one on only one side gets a warning, and none in common is an error") {
  const SavedResult predicted = saved_result("event", {saved_run("ddp", 1), saved_run("dear", 2)});
  const SavedResult measured = saved_result("mpi", {measured_run("wfbp", 1, 0), measured_run("dear", 4, 0)});
  const Validation validation = compare(predicted, measured);
  REQUIRE(validation.cases.size() == 1);
  CHECK(validation.cases[0].relative_error() == about(-0.5));
  CHECK(validation.warnings == std::vector<std::string>{"ddp was predicted, but not measured",
                                                        "wfbp was measured, but not predicted"});
  CHECK(contains(problem_of(saved_result("event", {saved_run("ddp", 1)}), measured),
                 "no algorithm was both predicted and measured"));
}

TEST_CASE("A measured iteration time of 0 is refused") {
  CHECK(contains(problem_of(saved_result("event", {saved_run("ddp", 1)}),
                            saved_result("mpi", {measured_run("ddp", 0, 0)})),
                 "measured iterations of ddp take no time"));
}

TEST_CASE("A group has the mean and the worst of absolute errors; its spread is over cases that have one") {
  ValidationCase one = compare(saved_result("event", {saved_run("ddp", 1.1)}),
                               saved_result("mpi", {measured_run("ddp", 1.0, 0.01)}))
                           .cases.front();
  ValidationCase two = one;
  two.predicted_s = 0.7;  // −30 %
  two.coefficient_of_variation = {};
  ValidationCase other = one;
  other.imbalance = "lognormal";
  const auto groups = groups_of({one, other, two});
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].cases == 2);
  CHECK(groups[0].mean_abs_error == about(0.2, 1e-12));
  CHECK(groups[0].worst_abs_error == about(0.3, 1e-12));
  CHECK(groups[0].coefficient_of_variation == about(0.01));
  CHECK(groups[1].imbalance == "lognormal");
  CHECK(worst_cases({one, two, other}, 1).front().predicted_s == 0.7);
}

TEST_CASE("In a study, errors in other situations give an interval to predictions without one") {
  const ValidationCase one =
      compare(saved_result("event", {saved_run("ddp", 1.1)}), saved_result("mpi", {saved_run("ddp", 1)}))
          .cases.front();
  Validation study;
  study.cases.assign(9, one);  // each predicted 10 % too slow
  ValidationCase other = one;
  other.imbalance = "lognormal";
  other.predicted_s = 2;
  study.cases.push_back(other);
  other.interval_90_s = Interval{1.9, 2.1};
  study.cases.push_back(other);
  add_intervals(study);
  CHECK_FALSE(study.cases.front().interval_90_s);  // only two errors are from other situations
  REQUIRE(study.cases[9].interval_90_s);
  CHECK(study.cases[9].interval_90_s->least == about(2 / 1.1));
  CHECK(study.cases[9].interval_90_s->greatest == about(2 * 1.1));
  CHECK(study.cases[10].interval_90_s->least == 1.9);  // the prediction's own interval
  CHECK(*study.model_error == about(1));  // the greatest of eleven errors (0.9 · 12): a factor of 2
  study.cases.resize(8);
  study.model_error.reset();
  add_intervals(study);
  CHECK_FALSE(study.model_error);
}

}  // namespace
}  // namespace starling
