#include "workloads/imbalance/distribution.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/rounding.hpp"
#include "tests/workloads/models/shipped_data.hpp"

namespace starling {
namespace {

using nlohmann::json;

Histogram histogram_of(const json& file, double minimum, double maximum) {
  Histogram histogram = {.bins = {}, .minimum = minimum, .maximum = maximum};
  for (const json& bin : file["bins"]) histogram.bins.push_back({bin[0], bin[1], bin[2]});
  return histogram;
}

Distribution distribution_of(const json& file) {
  if (file["kind"] == "histogram") {
    return {file["name"], file["unit"], histogram_of(file, file["summary"]["min"], file["summary"]["max"])};
  }
  QuantileTable table;
  for (const json& row : file["quantiles"]) table.points.push_back({row[0], row[1]});
  return {file["name"], file["unit"], table};
}

template <typename Shape>
void check_rejected(const Shape& shape, const char* message) {
  CHECK_THROWS_WITH_AS(Distribution("bad", "s", shape), message, std::invalid_argument);
}

TEST_CASE("a histogram is uniform inside its bins and jumps over empty ones") {
  const Distribution distribution("two bins", "s", Histogram{{{0, 2, 1}, {2, 4, 0}, {4, 8, 3}}, 0, 8});
  CHECK(distribution.quantile(0) == 0);
  CHECK(distribution.quantile(0.125) == 1);
  CHECK(distribution.quantile(0.25) == 2);
  CHECK(distribution.quantile(0.25 + 1e-9) == about(4, 1e-6));
  CHECK(distribution.quantile(0.625) == 6);
  CHECK(distribution.quantile(1) == 8);
  CHECK(distribution.mean() == 0.25 * 1 + 0.75 * 6);
  // Within bins 4/12 and 16/12, between them 0.25 · 0.75 · 5².
  CHECK(distribution.standard_deviation() == about(std::sqrt(0.25 * 4 / 12 + 0.75 * 16 / 12 + 4.6875)));
}

TEST_CASE("the part of a histogram's bin that is outside the limits piles up at them") {
  const Distribution distribution("clipped", "s", Histogram{{{0, 4, 4}}, 1, 3});
  CHECK(distribution.quantile(0) == 1);
  CHECK(distribution.quantile(0.25) == 1);
  CHECK(distribution.quantile(0.5) == 2);
  CHECK(distribution.quantile(0.75) == 3);
  CHECK(distribution.quantile(1) == 3);
  CHECK(distribution.mean() == 2);
  const Distribution outside("outside", "s", Histogram{{{0, 1, 1}, {5, 6, 1}}, 2, 3});
  CHECK(outside.quantile(0.4) == 2);
  CHECK(outside.quantile(0.6) == 3);
}

TEST_CASE("quantiles are linear between the points") {
  const Distribution distribution("quantiles", "s", QuantileTable{{{0, 1}, {0.5, 2}, {0.5, 4}, {1, 6}}});
  CHECK(distribution.quantile(0) == 1);
  CHECK(distribution.quantile(0.25) == 1.5);
  CHECK(distribution.quantile(0.5) == 2);
  CHECK(distribution.quantile(0.75) == 5);
  CHECK(distribution.mean() == 0.5 * 1.5 + 0.5 * 5);
}

TEST_CASE("samples of a distribution are equally likely, whatever their order") {
  const Distribution distribution("samples", "s", Samples{{3, 1, 2, 2}});
  CHECK(distribution.quantile(0.2) == 1);
  CHECK(distribution.quantile(0.3) == 2);
  CHECK(distribution.quantile(0.7) == 2);
  CHECK(distribution.quantile(0.8) == 3);
  CHECK(distribution.mean() == 2);
  CHECK(distribution.standard_deviation() == about(std::sqrt(0.5)));
}

TEST_CASE("a quantile function never falls and stays within the samples") {
  CHECK(rc::check([](const std::vector<std::uint16_t>& numbers) {
    RC_PRE(!numbers.empty());
    const std::vector<double> values(numbers.begin(), numbers.end());
    const Distribution distribution("samples", "s", Samples{values});
    double previous = *std::ranges::min_element(values);
    for (int percent = 0; percent <= 100; ++percent) {
      const double value = distribution.quantile(percent / 100.0);
      RC_ASSERT(value >= previous);
      previous = value;
    }
    RC_ASSERT(previous == *std::ranges::max_element(values));
  }));
}

TEST_CASE("shipped histograms give the mean and deviation that their files state for the bins") {
  int histograms = 0;
  for (const json& file : shipped_files("distributions")) {
    if (!file.contains("summary_from_bins")) continue;
    ++histograms;
    CAPTURE(file["name"].get<std::string>());
    const Distribution whole(file["name"], file["unit"], histogram_of(file, 0, 1e9));
    // The file puts every value at its bin's center (all bins are equally wide, so ours has width²/12 more
    // variance) and prints four digits of the mean, three or four of the deviation.
    const double width = file["bins"][0][1].get<double>() - file["bins"][0][0].get<double>();
    const double at_centers = std::sqrt(std::pow(whole.standard_deviation(), 2) - width * width / 12);
    CHECK(whole.mean() == about(file["summary_from_bins"]["mean"].get<double>(), 2e-4));
    CHECK(at_centers == about(file["summary_from_bins"]["std"].get<double>(), 5e-4));
  }
  CHECK(histograms == 4);
}

TEST_CASE("shipped distributions meet the printed summaries as closely as the drawings were read") {
  const std::vector<json> files = shipped_files("distributions");
  CHECK(files.size() == 6);
  for (const json& file : files) {
    CAPTURE(file["name"].get<std::string>());
    const Distribution distribution = distribution_of(file);
    const json& summary = file["summary"];
    // Means within 1 % and deviations within 1.1 %: what digitizing and the width of the bins cost.
    CHECK(distribution.mean() == about(summary["mean"].get<double>(), 0.01));
    CHECK(distribution.standard_deviation() == about(summary["std"].get<double>(), 0.011));
    CHECK(distribution.quantile(0) >= summary["min"].get<double>());
    CHECK(distribution.quantile(1) <= summary["max"].get<double>());
  }
}

TEST_CASE("distributions that nothing can be drawn from are rejected") {
  check_rejected(Histogram{{}, 0, 1}, "distribution bad: there is nothing to draw from");
  check_rejected(Histogram{{{0, 1, 0}}, 0, 1}, "distribution bad: there is nothing to draw from");
  check_rejected(Samples{}, "distribution bad: there is nothing to draw from");
  check_rejected(Histogram{{{0, 1, -1}}, 0, 1}, "distribution bad: bin [0, 1] has count -1");
  check_rejected(Histogram{{{1, 1, 1}}, 0, 1},
                 "distribution bad: bin [1, 1] must be finite, ascending and after the bin before it");
  check_rejected(Histogram{{{0, 2, 1}, {1, 3, 1}}, 0, 1},
                 "distribution bad: bin [1, 3] must be finite, ascending and after the bin before it");
  check_rejected(Histogram{{{0, 1, 1}}, 2, 1},
                 "distribution bad: minimum 2 and maximum 1 must be finite, not negative and in this order");
  check_rejected(QuantileTable{{{0, 1}}},
                 "distribution bad: the probabilities of the quantiles must begin with 0 and end with 1");
  check_rejected(QuantileTable{{{0, 1}, {0.9, 2}}},
                 "distribution bad: the probabilities of the quantiles must begin with 0 and end with 1");
  check_rejected(QuantileTable{{{0, 1}, {0.6, 2}, {0.5, 3}, {1, 4}}},
                 "distribution bad: quantile [0.5, 3] must not be below the one before it");
  check_rejected(QuantileTable{{{0, 1}, {0.5, 0.5}, {1, 4}}},
                 "distribution bad: quantile [0.5, 0.5] must not be below the one before it");
  check_rejected(QuantileTable{{{0, -1}, {1, 4}}},
                 "distribution bad: value -1 must be finite and not negative");
  check_rejected(Samples{{1, std::numeric_limits<double>::quiet_NaN()}},
                 "distribution bad: value nan must be finite and not negative");
}

}  // namespace
}  // namespace starling
