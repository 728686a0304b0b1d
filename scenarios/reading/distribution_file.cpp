#include "scenarios/reading/distribution_file.hpp"

#include <string>
#include <vector>

#include "io/data_directory.hpp"
#include "io/json/input_file.hpp"
#include "io/json/json_text.hpp"
#include "io/json/schema.hpp"
#include "io/scenario_error.hpp"

namespace starling {

namespace {

/// The range of times, which also holds for values in other units and for counts: sums stay finite.
constexpr Range range_of_values = default_range(Dimension::time);

/// The `size` numbers of a row such as [lower, upper, count]; `form` describes it in errors.
std::vector<double> read_row(const JsonPlace& place, std::size_t size, const std::string& form) {
  std::vector<double> numbers;
  for (const JsonPlace& element : place.elements()) numbers.push_back(element.number(range_of_values));
  if (numbers.size() != size) place.fail("wrong number of columns", form);
  return numbers;
}

Histogram read_histogram(const ObjectReader& object) {
  Histogram histogram;
  for (const JsonPlace& place : object.at("bins").elements(1)) {
    const auto row = read_row(place, 3, "[lower edge, upper edge, count]");
    if (row[0] >= row[1]) place.fail("empty bin", "a lower edge below the upper edge");
    if (!histogram.bins.empty() && row[0] < histogram.bins.back().upper)
      place.fail("bin overlaps the one before it", "bins in ascending order");
    histogram.bins.push_back({row[0], row[1], row[2]});
  }
  histogram.minimum = histogram.bins.front().lower;
  histogram.maximum = histogram.bins.back().upper;
  if (const auto place = object.find("summary")) {
    ObjectReader summary(*place, {"min", "max", "mean", "std"});
    const double first = histogram.minimum;
    const double last = histogram.maximum;
    histogram.minimum = summary.number("min", {.least = range_of_values.least, .greatest = last}, first);
    histogram.maximum = summary.number(
        "max", {.least = std::max(first, histogram.minimum), .greatest = range_of_values.greatest}, last);
  }
  return histogram;
}

QuantileTable read_quantiles(const ObjectReader& object) {
  QuantileTable table;
  const JsonPlace list = object.at("quantiles");
  for (const JsonPlace& place : list.elements(2)) {
    const auto row = read_row(place, 2, "[probability, value]");
    if (row[0] > 1) place.fail("out of range", "a probability from 0 to 1");
    if (!table.points.empty() &&
        (row[0] < table.points.back().probability || row[1] < table.points.back().value))
      place.fail("is below the row before it", "probabilities and values in ascending order");
    table.points.push_back({row[0], row[1]});
  }
  if (table.points.front().probability != 0 || table.points.back().probability != 1)
    list.fail("does not cover all probabilities", "a first probability of 0 and a last one of 1");
  return table;
}

Samples read_samples(const ObjectReader& object) {
  Samples samples;
  for (const JsonPlace& place : object.at("samples").elements(1))
    samples.values.push_back(place.number(range_of_values));
  return samples;
}

Distribution make_distribution(ObjectReader& object) {
  const std::string name = object.text("name");
  const std::string unit = object.text("unit");
  const std::string kind =
      read_kind(object.place(), "kind of distribution", {"histogram", "quantiles", "samples"});
  return naming_place(object.place().file(), "", [&]() -> Distribution {
    if (kind == "histogram") return {name, unit, read_histogram(object)};
    if (kind == "quantiles") return {name, unit, read_quantiles(object)};
    return {name, unit, read_samples(object)};
  });
}

}  // namespace

Distribution read_distribution_file(const std::filesystem::path& file) {
  const nlohmann::json document = parse_json(read_text_file(file), file.string());
  ObjectReader object(
      JsonPlace(document, file.string()),
      {"name", "unit", "kind", "bins", "quantiles", "samples", "summary", "summary_from_bins", "count",
       "count_printed", "box", "box_below_3s", "tail_samples", "source", "grade", "notes"});
  Distribution distribution = make_distribution(object);
  validate_against_schema(document, "distribution", file.string());
  return distribution;
}

Distribution read_shipped_distribution(const JsonPlace& place) {
  return read_distribution_file(shipped_file(place, distribution_directory(), "distribution"));
}

}  // namespace starling
