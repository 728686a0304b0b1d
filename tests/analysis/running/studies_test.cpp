// The figures of scenarios/studies.md equal the results of its scenarios. After an intended change of
// results, `tests/documents/tables.py PROGRAM write` rewrites its tables.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/running/runner.hpp"
#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "sim/strands/address_sanitizer.hpp"

namespace starling {
namespace {

// Algorithms that take well below a second. The others send every tensor by itself.
constexpr std::array quick_algorithms{"ddp", "mg_wfbp", "dear"};
constexpr std::array models_with_quick_horovod{"resnet50", "densenet201"};

bool is_quick(const std::string& algorithm, const std::string& model) {
  const auto holds = [](const auto& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return holds(quick_algorithms, algorithm) ||
         (algorithm == "horovod" && holds(models_with_quick_horovod, model));
}

/// The trimmed cells of a line of a Markdown table; empty for another line.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream rest(line.starts_with("| ") ? line.substr(1) : "");
  for (std::string cell; std::getline(rest, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? ""
                                               : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

/// Milliseconds with one decimal and a comma for thousands, like "1,909.9".
std::string milliseconds_text(double seconds) {
  std::string text = fmt::format("{:.1f}", 1e3 * seconds);
  if (text.size() > 5) text.insert(text.size() - 5, ",");
  return text;
}

/// Checks a row of the table of iteration times at `bandwidth` Gb/s; its first cell is the model.
void check_row(const std::string& bandwidth, const std::vector<std::string>& algorithms,
               const std::vector<std::string>& row) {
  const std::string name = fmt::format("dear_{}gbps_{}.json", bandwidth, row[0]);
  CAPTURE(name);
  Scenario scenario = read_scenario(data_directory() / "scenarios" / name);
  std::erase_if(scenario.algorithms,
                [&](const ScenarioAlgorithm& algorithm) { return !is_quick(algorithm.label, row[0]); });
  for (const RunResult& run : simulate(scenario).runs) {
    CAPTURE(run.label);
    const auto column = std::find(algorithms.begin(), algorithms.end(), run.label) - algorithms.begin();
    CHECK(row.at(static_cast<std::size_t>(column)) == milliseconds_text(run.iteration_time_s.mean));
  }
}

TEST_CASE("The tables of the DeAR studies equal the results of their scenarios") {
  std::stringstream text(read_text_file(data_directory() / "scenarios" / "studies.md"));
  std::string bandwidth;
  std::vector<std::string> algorithms;
  constexpr int checked_rows = has_address_sanitizer ? 2 : 10;  // with it ten rows take more than a minute
  int rows = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with("10 Gb/s:")) bandwidth = "10";
    if (line.ends_with("100 Gb/s:")) bandwidth = "100";
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() > 1 && cells[1] == "ddp") algorithms = cells;
    const bool is_row = !algorithms.empty() && cells.size() == algorithms.size() && !cells[0].empty();
    if (!is_row) continue;
    if (++rows <= checked_rows) check_row(bandwidth, algorithms, cells);
  }
  CHECK(rows == 10);
}

}  // namespace
}  // namespace starling
