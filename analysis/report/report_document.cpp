#include "analysis/report/report_document.hpp"

#include <cmath>
#include <map>

#include "base/errors.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// Eight digits are more than any figure is sure of, and half as long as all of them.
json rounded(const json& value) {
  if (!value.is_number_float()) return value;
  const double number = value.get<double>();
  if (!std::isfinite(number)) return nullptr;
  if (number == 0) return 0;
  const double scale = std::pow(10.0, 7 - std::floor(std::log10(std::abs(number))));
  const double short_number = std::round(number * scale) / scale;
  return std::isfinite(short_number) ? short_number : number;
}

/// Texts as numbers of a list, where that is shorter.
json column_values(const std::vector<json>& values) {
  std::map<std::string, std::size_t> numbers;
  json texts = json::array();
  json coded = json::array();
  for (const json& value : values) {
    if (!value.is_string()) break;
    const auto [place, is_new] = numbers.emplace(value.get<std::string>(), numbers.size());
    if (is_new) texts.push_back(value);
    coded.push_back(place->second);
  }
  const bool is_shorter = coded.size() == values.size() && 2 * texts.size() < coded.size();
  if (is_shorter) return {{"texts", texts}, {"numbers", coded}};
  json plain = json::array();
  for (const json& value : values) plain.push_back(rounded(value));
  return plain;
}

json table_json(const ReportTable& table) {
  json columns = json::array();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ReportColumn& column = table.columns[i];
    columns.push_back({{"name", column.name},
                       {"label", column.label},
                       {"unit", column.unit},
                       {"values", column_values(table.values[i])}});
  }
  return columns;
}

json chart_json(const ReportChart& chart) {
  json document{{"id", chart.id}, {"kind", chart.kind}, {"title", chart.title}, {"note", chart.note}};
  if (chart.is_blank()) {
    document["blank"] = chart.blank;
    return document;
  }
  document["columns"] = table_json(chart.table);
  document["options"] = chart.options;
  return document;
}

}  // namespace

void ReportTable::add_row(std::vector<json> row) {
  STARLING_INVARIANT(row.size() == columns.size());
  values.resize(columns.size());
  for (std::size_t i = 0; i < row.size(); ++i) values[i].push_back(std::move(row[i]));
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
