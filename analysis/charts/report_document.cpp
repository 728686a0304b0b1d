#include "analysis/charts/report_document.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "base/errors.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// Rounds to eight digits, more than any figure is sure of, which halves the length. Infinity and NaN become
/// null.
json rounded(const json& value) {
  if (!value.is_number_float()) return value;
  const double number = value.get<double>();
  if (!std::isfinite(number)) return nullptr;
  if (number == 0) return 0;
  const double scale = std::pow(10.0, 7 - std::floor(std::log10(std::abs(number))));
  const double short_number = std::round(number * scale) / scale;
  return std::isfinite(short_number) ? short_number : number;
}

/// The values of a column, or, if that is shorter, its distinct values and the index of each value among
/// them.
json column_values(const std::vector<json>& values) {
  std::map<json, std::size_t> places;
  json coded = json::array();
  json plain = json::array();
  json distinct = json::array();
  for (const json& value : values) {
    plain.push_back(rounded(value));
    const auto [place, is_new] = places.emplace(plain.back(), places.size());
    if (is_new) distinct.push_back(plain.back());
    coded.push_back(place->second);
  }
  if (3 * distinct.size() > coded.size()) return plain;
  return {{"distinct", distinct}, {"places", coded}};
}

json table_json(const ReportTable& table) {
  json columns = json::array();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ReportColumn& column = table.columns[i];
    columns.push_back({{"name", column.name},
                       {"label", column.label},
                       {"unit", column.unit},
                       {"values", column_values(table.rows() == 0 ? std::vector<json>{} : table.values[i])}});
  }
  return columns;
}

json chart_json(const ReportChart& chart) {
  json document{{"id", chart.id}, {"kind", chart.kind}, {"title", chart.title}, {"note", chart.note}};
  if (chart.is_blank()) {
    document["blank"] = chart.blank;
    return document;
  }
  if (chart.data_of.empty())
    document["columns"] = table_json(chart.table);
  else
    document["data_of"] = chart.data_of;
  document["options"] = chart.options;
  return document;
}

}  // namespace

void ReportTable::add_row(std::vector<json> row) {
  STARLING_INVARIANT(row.size() == columns.size());
  values.resize(columns.size());
  for (std::size_t i = 0; i < row.size(); ++i) values[i].push_back(std::move(row[i]));
}

void ReportTable::drop_column(std::size_t column) {
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(column));
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(column));
}

void ReportTable::drop_empty_columns() {
  for (std::size_t i = values.size(); i-- > 0;)
    if (std::ranges::all_of(values[i], &json::is_null)) drop_column(i);
}

ReportChart replaced_by_reason(ReportChart chart, const std::string& reason) {
  if (reason.empty()) return chart;
  return {.id = std::move(chart.id),
          .kind = std::move(chart.kind),
          .title = std::move(chart.title),
          .blank = reason};
}

ReportChart explorer_of(const ReportChart& chart, std::string title) {
  return {.id = "explorer",
          .kind = "explorer",
          .title = std::move(title),
          .options = chart.options,
          .data_of = chart.id};
}

json dimension_of_texts(const ReportTable& table, const std::string& column) {
  json dimension{{"name", column}, {"values", json::array()}, {"unit", ""}};
  const auto found = std::ranges::find(table.columns, column, &ReportColumn::name);
  for (const json& value : table.values[static_cast<std::size_t>(found - table.columns.begin())])
    if (std::ranges::find(dimension["values"], value) == dimension["values"].end())
      dimension["values"].push_back(value);
  return dimension;
}

json report_json(const Report& report) {
  json document{{"title", report.title}, {"question", report.question}, {"answer", report.answer}};
  document["facts"] = json::array();
  for (const auto& [name, value] : report.facts) document["facts"].push_back({name, value});
  document["charts"] = json::array();
  for (const ReportChart& chart : report.charts) document["charts"].push_back(chart_json(chart));
  return document;
}

}  // namespace starling
