#include "analysis/validation/required_measurement.hpp"

#include <doctest/doctest.h>

#include "tests/analysis/results/saved_results.hpp"

namespace starling {
namespace {

TEST_CASE("A measurement with another number of repetitions does not fit the study") {
  const SavedResult measured = saved_result("mpi", {measured_run("ddp", 1, 0), measured_run("wfbp", 1, 0)});
  RequiredMeasurement asked{
      .scenario = measured.scenario, .of_files = "", .file_names = {}, .repetitions = 5};
  CHECK(fit_of(measured, asked).is_the_same());
  CHECK(fit_of(measured, asked).warnings.empty());
  asked.repetitions = 3;
  const MeasurementFit fit = fit_of(measured, asked);
  REQUIRE(fit.contradictions.size() == 1);
  CHECK(fit.contradictions[0] == "repetitions are 3 in the study and 5 in the measurement");
}

}  // namespace
}  // namespace starling
