#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// A column of a chart's table.
struct ReportColumn {
  std::string name;   // in CSV, with the unit: "iteration_time_s"
  std::string label;  // heading: "iteration time"
  /// The unit of its numbers: "s", "B", "B/s", "W", or another word; empty for texts and plain counts.
  std::string unit = {};
};

/// The data of a chart, which the page draws, shows as a table and exports as CSV.
struct ReportTable {
  std::vector<ReportColumn> columns;
  std::vector<std::vector<nlohmann::json>> values = {};  // values[column][row]; empty without rows

  /// Adds a row of numbers, texts or nulls, one for each column.
  void add_row(std::vector<nlohmann::json> row);
  /// Removes a column; there must be rows.
  void drop_column(std::size_t column);
  /// Removes the columns that are null in every row.
  void drop_empty_columns();
  std::size_t rows() const { return values.empty() ? 0 : values.front().size(); }
};

/// A chart of a report.
struct ReportChart {
  std::string id;         // of its element on the page, and of its CSV file
  std::string kind;       // the function of page/charts that draws it
  std::string title;      // says what is drawn; units stand at the axes
  std::string note = {};  // below the title
  /// Why there is nothing to draw; the table is then left out. Empty if there is something.
  std::string blank = {};
  ReportTable table = {};
  nlohmann::json options = nlohmann::json::object();  // for the function that draws it
  /// The id of another chart whose table it draws in place of one of its own.
  std::string data_of = {};

  bool is_blank() const { return !blank.empty(); }
};

/// The chart itself if `reason` is empty; else a blank chart in its place that shows the reason.
ReportChart replaced_by_reason(ReportChart chart, const std::string& reason);

/// A chart in which the reader filters, sorts and draws the table of another chart, with that chart's
/// options.
ReportChart explorer_of(const ReportChart& chart, std::string title);

/// A dimension whose values are the distinct texts of a column, in order of their first appearance.
nlohmann::json dimension_of_texts(const ReportTable& table, const std::string& column);

/// The content of a page, in its order.
struct Report {
  std::string title;
  std::string question;
  std::vector<std::string> answer;                         // sentences
  std::vector<std::pair<std::string, std::string>> facts;  // names and values: the scenario, how it was run
  std::vector<ReportChart> charts = {};
};

/// The report as JSON for the page. Tables are stored by columns; a column of few distinct values as a list
/// of these and indices into it.
nlohmann::json report_json(const Report& report);

}  // namespace starling
