#include "analysis/comparison/saved_iterations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "analysis/statistics/estimate.hpp"
#include "base/readable_file.hpp"
#include "base/texts/number_in.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

/// The fields of a row that are used.
struct Row {
  std::size_t run = 0;
  std::size_t iteration = 0;
  bool is_warmup = false;
  double duration_s = 0;
};

/// Splits a line into its fields. A quoted field may contain commas, and keeps its quotes.
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

/// The positions of the columns that are used, by the first line of the file.
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

/// For each iteration of a run, the sum of its durations and the number of workers.
struct Sums {
  std::vector<double> sums_s = {};
  std::vector<double> workers = {};
  std::int64_t rows = 0;

  void add(std::size_t iteration, double duration_s) {
    if (iteration >= sums_s.size()) {
      sums_s.resize(iteration + 1);
      workers.resize(iteration + 1);
    }
    sums_s[iteration] += duration_s;
    ++workers[iteration];
    ++rows;
  }
};

SavedIterations means_of(const Sums& sums) {
  SavedIterations means{.numbers = {}, .durations_s = {}, .rows = sums.rows};
  for (std::size_t i = 0; i < sums.sums_s.size(); ++i) {
    if (sums.workers[i] == 0) continue;
    means.numbers.push_back(static_cast<std::int64_t>(i));
    means.durations_s.push_back(sums.sums_s[i] / sums.workers[i]);
  }
  return means;
}

/// Reads the next line; false at the end of the file. @throws ScenarioError if reading fails, or the file
/// ends within a line.
bool get_line(std::istream& input, const std::filesystem::path& file, std::int64_t number,
              std::string& line) {
  const bool is_there = static_cast<bool>(std::getline(input, line));
  if (input.bad())
    throw ScenarioError({file.string(), "", "cannot be read to its end", "", "a file that can be read"});
  if (is_there && input.eof())
    throw ScenarioError({file.string(), fmt::format("line {}", number), "ends within a line, as if truncated",
                         line, "the whole file"});
  return is_there;
}

/// Adds a row to the sums of its run, unless it is of the warm-up.
void add_row(const Row& row, std::vector<Sums>& runs) {
  if (row.run >= runs.size()) runs.resize(row.run + 1);
  if (!row.is_warmup) runs[row.run].add(row.iteration, row.duration_s);
}

/// How the iterations of a file differ from those of a run with one seed; empty if they do not.
std::string misfit(const SavedRun& run, const SavedIterations& found) {
  constexpr double rounding = 1e-6;
  const auto iterations = static_cast<std::int64_t>(found.durations_s.size());
  if (run.iterations && iterations != *run.iterations)
    return fmt::format("{} counted iterations of {}, not {}", iterations, run.label, *run.iterations);
  if (found.rows != iterations * run.workers)
    return fmt::format("{} rows of the counted iterations of {}, not {}", found.rows, run.label,
                       iterations * run.workers);
  if (iterations == 0) return fmt::format("no counted iterations of {}", run.label);
  const double mean_s = plain_mean(found.durations_s);
  if (std::abs(mean_s - run.mean_s) > rounding * std::abs(run.mean_s))
    return fmt::format("a mean of {} s of {}, not {}", mean_s, run.label, run.mean_s);
  return "";
}

}  // namespace

std::vector<SavedIterations> read_iterations(const std::filesystem::path& file) {
  constexpr std::size_t most_runs = 100'000;  // so that a broken number fills no memory
  constexpr std::size_t most_iterations = 10'000'000;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  if (const std::string problem = why_not_readable(file); !problem.empty())
    throw ScenarioError({file.string(), "", problem, "", "a file"});
  std::ifstream input(file);
  if (!input) throw ScenarioError({file.string(), "", "cannot be read", "", "a file that can be read"});
  std::vector<Sums> runs;
  std::string line;
  if (!get_line(input, file, 1, line)) line.clear();
  const Columns columns(line, file);
  for (std::int64_t number = 2; get_line(input, file, number, line); ++number) {
    const std::optional<Row> row = columns.row_of(line);
    if (!row || row->run >= most_runs || row->iteration >= most_iterations)
      throw ScenarioError(
          {file.string(), fmt::format("line {}", number), "not a row of iterations.csv", line, ""});
    add_row(*row, runs);
  }
  std::vector<SavedIterations> means;
  for (const Sums& sums : runs) means.push_back(means_of(sums));
  return means;
}

void check_iterations(const SavedResult& result, std::span<const SavedIterations> runs,
                      const std::filesystem::path& file) {
  if (std::ranges::any_of(result.runs, [](const SavedRun& run) { return run.seeds > 1; })) return;
  std::string problem;
  if (runs.size() != result.runs.size())
    problem = fmt::format("{} runs, not {}", runs.size(), result.runs.size());
  for (std::size_t i = 0; problem.empty() && i < runs.size(); ++i) problem = misfit(result.runs[i], runs[i]);
  if (problem.empty()) return;
  throw ScenarioError({file.string(), "",
                       fmt::format("these are not the iterations of {}", result.file.string()), problem,
                       "the iterations.csv that was written with that result, or none"});
}

}  // namespace starling
