#include "analysis/validation/validation_report.hpp"

#include <doctest/doctest.h>

#include "io/json/schema.hpp"
#include "tests/analysis/results/saved_results.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

Validation two_cases() {
  return compare(saved_result("event", {saved_run("ddp", 1.1), saved_run("dear", 0.98)}),
                 saved_result("mpi", {measured_run("ddp", 1.0, 0.004), measured_run("dear", 1.0, 0.002)}));
}

TEST_CASE("validation.json conforms to its schema and has every case") {
  const nlohmann::json document = validation_json(two_cases());
  validate_against_schema(document, "validation", "validation.json");
  REQUIRE(document.at("cases").size() == 2);
  const auto& one = document.at("cases").at(0);
  CHECK(one.at("label") == "ddp");
  CHECK(one.at("predicted_s") == 1.1);
  CHECK(one.at("measured_s") == 1.0);
  CHECK(one.at("coefficient_of_variation") == 0.004);
  CHECK(one.at("phase_that_differs").at("phase") == "exposed_communication");
  CHECK(document.at("summary").at("mean_abs_error").get<double>() == about(0.06));
}

TEST_CASE("Measurements inside the intervals of their predictions are counted") {
  SavedRun ddp = saved_run("ddp", 1.1);
  ddp.interval_90_s = Interval{1.05, 1.15};
  SavedRun dear = saved_run("dear", 0.98);
  dear.interval_90_s = Interval{0.97, 1.01};
  const Validation validation =
      compare(saved_result("event", {ddp, dear, saved_run("wfbp", 1)}),
              saved_result("mpi", {saved_run("ddp", 1), saved_run("dear", 1), saved_run("wfbp", 1)}));
  const nlohmann::json document = validation_json(validation);
  validate_against_schema(document, "validation", "validation.json");
  CHECK(document.at("summary").at("inside_interval_90") == 0.5);
  CHECK(document.at("cases").at(2).at("interval_90_s").is_null());
  CHECK(validation_table(validation)
            .ends_with("1 of 2 measurements lie inside the 90 % intervals of their predictions\n"));
}

TEST_CASE("A prediction with an uncertain quantity can be compared with a measurement without one") {
  SavedResult predicted = saved_result("event", {saved_run("ddp", 1)});
  predicted.scenario["workload"]["batch_size"] = {{"value", 8}, {"relative_error", 0.1}};
  CHECK_NOTHROW(compare(predicted, saved_result("mpi", {saved_run("ddp", 1)})));
}

TEST_CASE("A measurement without repetitions has no spread") {
  const Validation validation =
      compare(saved_result("simgrid", {saved_run("ddp", 1)}), saved_result("mpi", {saved_run("ddp", 1)}));
  const nlohmann::json document = validation_json(validation);
  validate_against_schema(document, "validation", "validation.json");
  CHECK(document.at("cases").at(0).at("coefficient_of_variation").is_null());
  CHECK(document.at("summary").at("mean_coefficient_of_variation").is_null());
}

TEST_CASE("The table names the worst case and the phase that differs, and ends with the means") {
  CHECK(validation_table(two_cases()) ==
        "algorithm  P                   network  imbalance  predicted  measured    error  spread\n"
        "ddp        4  star 25.00 MB/s 100.0 us       none    1.100 s   1.000 s  +10.0 %   0.4 %\n"
        "dear       4  star 25.00 MB/s 100.0 us       none   980.0 ms   1.000 s   -2.0 %   0.2 %\n"
        "\n"
        "worst cases  P                   network  imbalance    error  phase that differs most  predicted  "
        "measured\n"
        "ddp          4  star 25.00 MB/s 100.0 us       none  +10.0 %    exposed communication   800.0 ms  "
        "700.0 ms\n"
        "dear         4  star 25.00 MB/s 100.0 us       none   -2.0 %    exposed communication   680.0 ms  "
        "700.0 ms\n"
        "\n"
        "2 cases: mean |error| 6.0 %, worst 10.0 %, mean spread of the measurements 0.3 %\n");
}

TEST_CASE("Where no phase differs, the table names none") {
  const Validation validation =
      compare(saved_result("event", {saved_run("ddp", 1)}), saved_result("mpi", {saved_run("ddp", 1)}));
  CHECK(validation_table(validation).find("  +0.0 %                        –          –         –\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace starling
