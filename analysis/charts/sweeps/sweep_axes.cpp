#include "analysis/charts/sweeps/sweep_axes.hpp"

#include <algorithm>
#include <numeric>

#include "analysis/studies/sweep_figures.hpp"
#include "io/json/json_text.hpp"
#include "io/pictures/value_numbers.hpp"

namespace starling {
namespace {

using nlohmann::json;

std::string unit_of(Dimension dimension) {
  if (dimension == Dimension::time) return "s";
  return dimension == Dimension::size ? "B" : "B/s";
}

/// The distinct values of a pointer.
std::vector<json> values_of(const SweepPlan& plan, std::size_t pointer) {
  std::vector<json> values;
  for (std::int64_t i = 0; i < plan.combinations(); ++i) {
    json value = plan.values(i)[pointer];
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  return values;
}

json dimension_of(const SweepPlan& plan, std::size_t pointer) {
  const std::vector<json> values = values_of(plan, pointer);
  json dimension{{"name", plan.pointers()[pointer]}, {"values", json::array()}};
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::optional<ValueNumbers> found = numbers_of(values);
  if (found) std::ranges::stable_sort(order, {}, [&](std::size_t i) { return found->numbers[i]; });
  for (const std::size_t i : order) {
    dimension["values"].push_back(value_text(values[i]));
    if (found) dimension["numbers"].push_back(found->numbers[i]);
  }
  dimension["unit"] = found && found->dimension ? unit_of(*found->dimension) : "";
  return dimension;
}

bool varies(const json& dimension) { return dimension.at("values").size() > 1; }

/// The dimension over which curves are drawn at first: workers if they vary, else the numbers with the most
/// values, else the first dimension that varies.
std::string first_x(const json& dimensions) {
  const auto first = std::ranges::find_if(dimensions, varies);
  if (first == dimensions.end()) return dimensions.front().at("name");
  const json* best = &*first;
  for (const json& dimension : dimensions) {
    const bool has_numbers = varies(dimension) && dimension.contains("numbers");
    if (has_numbers && dimension.at("name") == "/cluster/workers") return dimension.at("name");
    if (has_numbers &&
        (!best->contains("numbers") || dimension.at("values").size() > best->at("values").size()))
      best = &dimension;
  }
  return best->at("name");
}

/// The dimension with a curve for each value at first: algorithms if they vary, else the first one besides
/// `x` that does.
std::string first_color(const json& dimensions, const std::string& x) {
  const json& algorithms = dimensions.back();
  const auto may_tell = [&](const json& dimension) { return varies(dimension) && dimension.at("name") != x; };
  if (may_tell(algorithms)) return algorithms.at("name");
  const auto found = std::ranges::find_if(dimensions, may_tell);
  return (found == dimensions.end() ? algorithms : *found).at("name");
}

}  // namespace

json sweep_axes(const SweepPlan& plan, const ReportTable& table) {
  json axes{{"y", "iteration_time_s"}, {"dimensions", json::array()}};
  for (std::size_t i = 0; i < plan.pointers().size(); ++i)
    axes["dimensions"].push_back(dimension_of(plan, i));
  axes["dimensions"].push_back(dimension_of_texts(table, "algorithm"));
  axes["x"] = first_x(axes["dimensions"]);
  axes["color"] = first_color(axes["dimensions"], axes["x"]);
  for (const ReportColumn& column : table.columns)
    if (index_of_figure(column.name) < sweep_figures().size()) axes["figures"].push_back(column.name);
  return axes;
}

}  // namespace starling
