#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// A column of a chart's table.
struct ReportColumn {
  std::string name;   // in CSV, with its unit: "iteration_time_s"
  std::string label;  // heads it: "iteration time"
  /// In which its numbers count: "s", "B", "B/s", "W", or a word of its own; empty for texts and plain
  /// counts.
  std::string unit = {};
};

/// The data of a chart: what it draws, shows as a table and gives away as CSV.
struct ReportTable {
  std::vector<ReportColumn> columns;
  std::vector<std::vector<nlohmann::json>> values = {};  // of each column, as many as rows

  /// Numbers, texts or null, one for each column.
  void add_row(std::vector<nlohmann::json> row);
  void drop_column(std::size_t column);
  /// Leaves out columns that are null in every row.
  void drop_empty_columns();
  std::size_t rows() const { return values.empty() ? 0 : values.front().size(); }
};

/// One picture of a report.
struct ReportChart {
  std::string id;     // on the page, and of its CSV file
  std::string kind;   // which of page/charts draws it
  std::string title;  // with what is drawn; units stand at the axes
  std::string note = {};
  /// Why there is nothing to draw. Then there is no table.
  std::string blank = {};
  ReportTable table = {};
  nlohmann::json options = nlohmann::json::object();  // of its kind
  /// The chart whose table it shows as well, in place of one of its own.
  std::string data_of = {};

  bool is_blank() const { return !blank.empty(); }
};

/// The chart; in place of what it shows the reason for there being nothing, if there is one.
ReportChart replaced_by_reason(ReportChart chart, const std::string& reason);

/// A chart that filters, sorts and draws the table of another one, and has its options.
ReportChart explorer_of(const ReportChart& chart, std::string title);

/// A dimension whose values are texts of this column of the table, in the order in which they appear.
nlohmann::json dimension_of_texts(const ReportTable& table, const std::string& column);

/// What a page says, in its order.
struct Report {
  std::string title;
  std::string question;
  std::vector<std::string> answer;                         // sentences
  std::vector<std::pair<std::string, std::string>> facts;  // of the scenario, and how it was found out
  std::vector<ReportChart> charts = {};
};

/// The report as the page reads it: columns in place of rows, texts that come again by number.
nlohmann::json report_json(const Report& report);

}  // namespace starling
