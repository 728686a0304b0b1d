#include "analysis/comparison/saved_iterations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "base/number_in.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

/// What is read of a row.
struct Row {
  std::size_t run = 0;
  std::size_t iteration = 0;
  bool is_warmup = false;
  double duration_s = 0;
};

/// The fields of a line; one in quotes, which may hold commas, with them.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_quoted = !is_quoted;
    if (line[i] != ',' || is_quoted) continue;
    fields.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  fields.push_back(line.substr(begin));
  return fields;
}

/// Where a row has what is read of it, by the first line of the file.
class Columns {
 public:
  Columns(const std::string& header, const std::filesystem::path& file) {
    const std::vector<std::string_view> names = fields_of(header);
    const auto place_of = [&](std::string_view name) {
      const auto found = std::ranges::find(names, name);
      if (found == names.end())
        throw ScenarioError({file.string(), "line 1", "not the first line of an iterations.csv", header,
                             fmt::format("a column {}", name)});
      return static_cast<std::size_t>(found - names.begin());
    };
    count_ = names.size();
    run_ = place_of("run");
    iteration_ = place_of("iteration");
    is_warmup_ = place_of("is_warmup");
    duration_s_ = place_of("duration_s");
  }

  std::optional<Row> row_of(std::string_view line) const {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.size() != count_) return std::nullopt;
    const auto run = number_in<decltype(Row::run)>(fields[run_]);
    const auto iteration = number_in<decltype(Row::iteration)>(fields[iteration_]);
    const auto is_warmup = number_in<int>(fields[is_warmup_]);
    const auto duration_s = number_in<double>(fields[duration_s_]);
    if (!run || !iteration || !is_warmup || !duration_s || !std::isfinite(*duration_s)) return std::nullopt;
    return Row{.run = *run, .iteration = *iteration, .is_warmup = *is_warmup != 0, .duration_s = *duration_s};
  }

 private:
  std::size_t count_ = 0;
  std::size_t run_ = 0;
  std::size_t iteration_ = 0;
  std::size_t is_warmup_ = 0;
  std::size_t duration_s_ = 0;
};

/// Sums of durations, and of how many workers.
struct Sums {
  std::vector<double> sums_s = {};
  std::vector<double> workers = {};

  void add(std::size_t iteration, double duration_s) {
    if (iteration >= sums_s.size()) {
      sums_s.resize(iteration + 1);
      workers.resize(iteration + 1);
    }
    sums_s[iteration] += duration_s;
    ++workers[iteration];
  }
};

std::vector<double> means_of(const Sums& sums) {
  std::vector<double> means_s;
  for (std::size_t i = 0; i < sums.sums_s.size(); ++i)
    if (sums.workers[i] > 0) means_s.push_back(sums.sums_s[i] / sums.workers[i]);
  return means_s;
}

}  // namespace

std::vector<std::vector<double>> read_mean_durations_s(const std::filesystem::path& file) {
  constexpr std::size_t most_runs = 100'000;  // so that a broken number fills no memory
  constexpr std::size_t most_iterations = 10'000'000;
  std::vector<Sums> runs;
  std::ifstream input(file);
  std::string line;
  if (!std::getline(input, line)) return {};
  const Columns columns(line, file);
  for (std::int64_t number = 2; std::getline(input, line); ++number) {
    const std::optional<Row> row = columns.row_of(line);
    if (!row || row->run >= most_runs || row->iteration >= most_iterations)
      throw ScenarioError(
          {file.string(), fmt::format("line {}", number), "not a row of iterations.csv", line, ""});
    if (row->run >= runs.size()) runs.resize(row->run + 1);
    if (!row->is_warmup) runs[row->run].add(row->iteration, row->duration_s);
  }
  std::vector<std::vector<double>> means_s;
  for (const Sums& sums : runs) means_s.push_back(means_of(sums));
  return means_s;
}

}  // namespace starling
