#include "scenarios/reading/distribution_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "io/data_directory.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {

namespace {

Distribution read(const std::string& text) {
  const ScratchFolder folder;
  return read_distribution_file(folder.write("d.json", text));
}

std::string distribution_error(const std::string& text) {
  const ScratchFolder folder;
  const auto file = folder.write("d.json", text);
  return error_of(folder.path(), [&] { (void)read_distribution_file(file); });
}

TEST_CASE("a histogram is read with the limits of its summary") {
  const Distribution histogram = read(R"({"name": "h", "unit": "s", "kind": "histogram",
    "bins": [[0, 2, 1], [2, 4, 1]], "summary": {"min": 1, "max": 3}})");
  CHECK(histogram.name() == "h");
  CHECK(histogram.unit() == "s");
  CHECK(histogram.quantile(0) == 1);
  CHECK(histogram.quantile(0.5) == 2);
  CHECK(histogram.quantile(1) == 3);
  CHECK(read(R"({"name": "h", "unit": "s", "kind": "histogram", "bins": [[1, 3, 7]]})").mean() == 2);
}

TEST_CASE("quantiles and samples are read") {
  CHECK(read(R"({"name": "q", "unit": "s", "kind": "quantiles", "quantiles": [[0, 1], [1, 3]]})")
            .quantile(0.25) == 1.5);
  CHECK(read(R"({"name": "s", "unit": "s", "kind": "samples", "samples": [3, 1, 2]})").mean() == about(2));
}

TEST_CASE("every shipped distribution can be read and is named like its file") {
  const auto names = json_names(distribution_directory());
  CHECK(names.size() == 6);
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(read_distribution_file(distribution_directory() / (name + ".json")).name() == name);
  }
}

TEST_CASE("what is wrong in a distribution file is told with its place") {
  const std::string head = R"({"name": "d", "unit": "s", )";
  CHECK(distribution_error(head + R"("kind": "histgram", "bins": []})") ==
        "d.json: /kind: unknown kind of distribution (did you mean \"histogram\"?), got \"histgram\", "
        "expected one of \"histogram\", \"quantiles\", \"samples\"");
  CHECK(distribution_error(head + R"("kind": "histogram"})") == "d.json: key \"bins\" is missing");
  CHECK(distribution_error(head + R"("kind": "histogram", "bins": [[1, 2]]})") ==
        "d.json: /bins/0: wrong number of columns, got [1,2], expected [lower edge, upper edge, count]");
  CHECK(distribution_error(head + R"("kind": "histogram", "bins": [[2, 1, 5]]})") ==
        "d.json: /bins/0: empty bin, got [2,1,5], expected a lower edge below the upper edge");
  CHECK(distribution_error(head + R"("kind": "histogram", "bins": [[1, 2, 5], [1.5, 3, 5]]})") ==
        "d.json: /bins/1: bin overlaps the one before it, got [1.5,3,5], expected bins in ascending order");
  CHECK(distribution_error(head + R"("kind": "histogram", "bins": [[1, 2, -5]]})") ==
        "d.json: /bins/0/2: out of range, got -5, expected a number from 0 to 1000000000");
  CHECK(distribution_error(head + R"("kind": "histogram", "bins": [[1, 2, 0]]})") ==
        "d.json: distribution d: there is nothing to draw from");
  const std::string bin = head + R"("kind": "histogram", "bins": [[1, 2, 1]], )";
  CHECK(distribution_error(bin + R"("summary": {"min": 1.8, "max": 1.2}})") ==
        "d.json: /summary/max: out of range, got 1.2, expected a number from 1.8 to 1000000000");
  CHECK(distribution_error(bin + R"("summary": {"min": 3, "max": 4}})") ==
        "d.json: /summary/min: out of range, got 3, expected a number from 0 to 2");
  CHECK(distribution_error(bin + R"("summary": {"min": 0, "max": 0.5}})") ==
        "d.json: /summary/max: out of range, got 0.5, expected a number from 1 to 1000000000");
  CHECK(distribution_error(head + R"("kind": "quantiles", "quantiles": [[0, 1], [0.5, 2]]})") ==
        "d.json: /quantiles: does not cover all probabilities, got [[0,1],[0.5,2]], expected a first "
        "probability of 0 and a last one of 1");
  CHECK(distribution_error(head + R"("kind": "quantiles", "quantiles": [[0, 2], [1, 1]]})") ==
        "d.json: /quantiles/1: is below the row before it, got [1,1], expected probabilities and values in "
        "ascending order");
  CHECK(distribution_error(head + R"("kind": "quantiles", "quantiles": [[0, 2], [2, 3]]})") ==
        "d.json: /quantiles/1: out of range, got [2,3], expected a probability from 0 to 1");
  CHECK(distribution_error(head + R"("kind": "quantiles", "quantiles": [[0, 1], [1, 1e160]]})") ==
        "d.json: /quantiles/1/1: out of range, got 1e+160, expected a number from 0 to 1000000000");
  CHECK(distribution_error(head + R"("kind": "samples", "samples": []})") ==
        "d.json: /samples: too short, got [], expected a list of at least 1 element");
  CHECK(distribution_error(head + R"("kind": "samples", "samples": ["1s"]})") ==
        "d.json: /samples/0: wrong type, got \"1s\", expected a number from 0 to 1000000000");
}

}  // namespace

}  // namespace starling
