#include "workloads/learning/data_set.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "tests/rounding.hpp"
#include "tests/workloads/imbalance/sample.hpp"

namespace starling {
namespace {

DataSet three_points() {
  DataSet data;
  data.name = "three";
  data.features = 2;
  data.classes = 2;
  data.values = {1, 10, 2, 10, 6, 10};
  data.labels = {0, 1, 0};
  return data;
}

TEST_CASE("the features of a point lie side by side") {
  const DataSet data = three_points();
  data.validate();
  CHECK(data.points() == 3);
  CHECK(data.point(2)[0] == 6);
  CHECK(data.point(2).size() == 2);
  CHECK_THROWS_AS(data.point(3), InvariantError);
}

TEST_CASE("standard features have mean 0 and variance 1, constant ones are 0") {
  DataSet data = three_points();
  data.standardize();  // mean 3, variance (4 + 1 + 9) / 3
  const double deviation = std::sqrt(14.0 / 3);
  CHECK(data.values[0] == about(-2 / deviation, 1e-6));  // one float rounding
  CHECK(data.values[4] == about(3 / deviation, 1e-6));
  CHECK(data.values[1] == 0);
  CHECK(data.values[5] == 0);
  for (std::size_t i = 1; i < data.values.size(); i += 2) data.values[i] = 0;  // as a pixel of a border
  data.standardize();
  CHECK(data.values[1] == 0);
}

TEST_CASE("generated classes are clouds of variance 1 at the given distance") {
  const GeneratedDataOptions options = {.points = 4000, .features = 100, .classes = 2, .separation = 20};
  const DataSet data = generated_data_set(options);
  data.validate();
  CHECK(data.points() == 4000);
  CHECK(data.labels[7] == 1);
  double squared_distance = 0;
  for (std::size_t k = 0; k < 100; ++k) {
    std::vector<double> of_first;
    std::vector<double> of_second;
    for (std::int64_t point = 0; point < 4000; point += 2) {
      of_first.push_back(data.point(point)[k]);
      of_second.push_back(data.point(point + 1)[k]);
    }
    const SampleMoments moments = moments_of(of_first);
    CHECK(std::abs(moments.variance - 1) < moments.variance_tolerance);
    squared_distance += std::pow(moments.mean - moments_of(of_second).mean, 2);
  }
  // 100 squared normal differences: 5 standard errors of √(2/100) each.
  CHECK(std::abs(squared_distance / 400 - 1) < 5 * std::sqrt(0.02));
}

TEST_CASE("generated data follow from their seed alone") {
  GeneratedDataOptions options = {.points = 50};
  const DataSet data = generated_data_set(options);
  CHECK(generated_data_set(options).values == data.values);
  options.points = 60;  // more points leave the first ones as they are
  CHECK(generated_data_set(options).point(49)[3] == data.point(49)[3]);
  options.seed = 2;
  CHECK(generated_data_set(options).point(49)[3] != data.point(49)[3]);
}

TEST_CASE("a data set that does not fit together is rejected") {
  const auto check = [](const auto& change, const char* message) {
    DataSet data = three_points();
    change(data);
    CHECK_THROWS_WITH_AS(data.validate(), message, std::invalid_argument);
  };
  check([](DataSet& data) { data.labels.clear(); }, "three: there are no points");
  check([](DataSet& data) { data.features = 0; }, "three: there are 0 features; at least 1 is needed");
  check([](DataSet& data) { data.classes = 1; }, "three: there are 1 classes; at least 2 are needed");
  check([](DataSet& data) { data.values.pop_back(); },
        "three: there are 5 values for 3 points of 2 features");
  check([](DataSet& data) { data.values[3] = std::numeric_limits<float>::quiet_NaN(); },
        "three: feature 1 of point 1 is nan; it must be finite");
  check([](DataSet& data) { data.labels[2] = 2; }, "three: the label of point 2 is 2; it must be 0 … 1");
}

TEST_CASE("options of generated data out of range are rejected") {
  CHECK_THROWS_WITH_AS(generated_data_set({.points = 0}),
                       "generated: points is 0; it must be from 1 to 16777216", std::invalid_argument);
  CHECK_THROWS_WITH_AS(generated_data_set({.features = 0}),
                       "generated: features is 0; it must be from 1 to 65536", std::invalid_argument);
  CHECK_THROWS_WITH_AS(generated_data_set({.classes = 1}),
                       "generated: classes is 1; it must be from 2 to 65536", std::invalid_argument);
  CHECK_THROWS_WITH_AS(generated_data_set({.separation = -1}),
                       "generated: separation is -1; it must be from 0 to 1000000", std::invalid_argument);
}

}  // namespace
}  // namespace starling
