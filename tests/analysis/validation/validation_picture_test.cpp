#include "analysis/validation/validation_picture.hpp"

#include <doctest/doctest.h>

#include "tests/analysis/results/saved_results.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

Validation one_case(const std::string& label) {
  return compare(saved_result("event", {saved_run(label, 1.1)}),
                 saved_result("mpi", {measured_run(label, 1.0, 0.004)}));
}

TEST_CASE("The plot has the times, error and spread of every case, and the line of equal times") {
  const std::string plot = validation_plot(one_case("ddp"), "picture.svg");
  CHECK(plot.find("$data0 << EOD\n1 1.1 10.00") != std::string::npos);
  CHECK(plot.find("plot x title 'predicted = measured'") != std::string::npos);
  CHECK(plot.find("title 'ddp'") != std::string::npos);
  CHECK(plot.find("set xtics (1)\nset ytics (1)\n") != std::string::npos);
}

TEST_CASE("Intervals of predictions are drawn where there are some") {
  Validation validation = one_case("ddp");
  CHECK(validation_plot(validation, "picture.svg").find("$intervals") == std::string::npos);
  validation.cases.front().interval_90_s = Interval{.least = 0.95, .greatest = 1.25};
  const std::string plot = validation_plot(validation, "picture.svg");
  CHECK(plot.find("$intervals << EOD\n1 -5") != std::string::npos);
  CHECK(plot.find(" 25\nEOD") != std::string::npos);
}

TEST_CASE("The key explains intervals and bars, and algorithms have the colors of other pictures") {
  Validation validation = one_case("ddp");
  validation.cases.front().coefficient_of_variation.reset();
  const std::string plain = validation_plot(validation, "picture.svg");
  CHECK(plain.find("title '90 % interval of the prediction") == std::string::npos);
  CHECK(plain.find("title 'bars: ") == std::string::npos);
  validation.cases.front().interval_90_s = Interval{.least = 0.95, .greatest = 1.25};
  validation.cases.front().coefficient_of_variation = 0.01;
  const std::string plot = validation_plot(validation, "picture.svg");
  CHECK(plot.find("title '90 % interval of the prediction (below)'") != std::string::npos);
  CHECK(plot.find("title 'bars: variation over measured repetitions (below)'") != std::string::npos);
  CHECK(plot.find("set label") == std::string::npos);  // labels would cover points
  CHECK(plot.find("$data0 using 1:2 with points lc rgb '#0072B2' pt 7 ") != std::string::npos);
}

TEST_CASE("A label of an algorithm is never executed by gnuplot") {
  const ScratchFolder folder;
  const std::string label = "it's `touch " + (folder.path() / "made").string() + "`\n$data \"@x\" %d \\";
  draw_validation(one_case(label), folder.path() / "picture.svg");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "made"));
  const std::string picture = contents_of(folder.path() / "picture.svg");
  CHECK(picture.find("it's `touch") != std::string::npos);
  CHECK(picture.find("</svg>") != std::string::npos);
}

}  // namespace
}  // namespace starling
