#include "analysis/charts/report_document.hpp"

#include <doctest/doctest.h>

#include <string>

#include "analysis/report/report_page.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

using nlohmann::json;

ReportChart chart_of_column(std::vector<json> values) {
  ReportChart chart{.id = "c", .kind = "lines", .title = "a chart"};
  chart.table.columns = {{"time_s", "time", "s"}};
  for (json& value : values) chart.table.add_row({std::move(value)});
  return chart;
}

/// How a report's JSON stores a column of these values.
json column_of(std::vector<json> values) {
  Report report{.title = "t", .question = "q", .answer = {}, .facts = {}};
  report.charts.push_back(chart_of_column(std::move(values)));
  return report_json(report).at("charts").at(0).at("columns").at(0).at("values");
}

TEST_CASE("a column with many repeated values is stored as distinct values and indices into them") {
  CHECK(column_of({"ddp", "sgp", "ddp", "ddp", "sgp", "ddp"}) ==
        json{{"distinct", {"ddp", "sgp"}}, {"places", {0, 1, 0, 0, 1, 0}}});
  CHECK(column_of({0.5, 0.5, nullptr, 0.5, nullptr, 0.5}) ==
        json{{"distinct", {0.5, nullptr}}, {"places", {0, 0, 1, 0, 1, 0}}});
  CHECK(column_of({"ddp", "sgp", "dear"}) == json{"ddp", "sgp", "dear"});
}

TEST_CASE("numbers keep eight digits; a NaN becomes null") {
  const json values = column_of({1.0 / 3, 1e300 / 7, -2e-310, 0.0, std::nan(""), nullptr, 12345678901});
  CHECK(values.at(0) == 0.33333333);
  CHECK(values.at(1).get<double>() == about(1e300 / 7, 1e-7));
  CHECK(values.at(2).get<double>() == about(-2e-310));
  CHECK(values.at(3) == 0);
  CHECK(values.at(4).is_null());
  CHECK(values.at(5).is_null());
  CHECK(values.at(6) == 12345678901);
}

TEST_CASE("a blank chart says why and has no columns") {
  Report report{.title = "t", .question = "q", .answer = {"a"}, .facts = {{"workers", "4"}}};
  report.charts.push_back({.id = "c", .kind = "lines", .title = "a chart", .blank = "nothing was kept"});
  const json document = report_json(report);
  CHECK(document.at("charts").at(0).at("blank") == "nothing was kept");
  CHECK_FALSE(document.at("charts").at(0).contains("columns"));
  CHECK(document.at("facts") == json::array({json::array({"workers", "4"})}));
}

TEST_CASE("embedded JSON cannot close its script element, and parses to the original text") {
  const json data{{"label", "</script><!-- <b> \u2028 é ' \" & \xff"}};
  const std::string text = embedded_json(data);
  CHECK(text.find('<') == std::string::npos);
  for (const char character : text) CHECK(static_cast<unsigned char>(character) < 0x80);
  CHECK(json::parse(text).at("label") == "</script><!-- <b> \u2028 é ' \" & \ufffd");
}

TEST_CASE("a page loads nothing from outside itself") {
  const std::string page = page_text({{"title", "t"}});
  CHECK(page.find("<script src") == std::string::npos);
  CHECK(page.find("<link") == std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find(R"({"title":"t"})") != std::string::npos);
  CHECK(page.find("define_module('vega-view'") != std::string::npos);
}

}  // namespace
}  // namespace starling
