#include "analysis/comparison/saved_iterations.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "io/scenario_error.hpp"

namespace starling {
namespace {

/// What is read of a row: run,label,worker,iteration,is_warmup,end_s,ready_s,duration_s, and six parts of it.
struct Row {
  std::size_t run = 0;
  std::size_t iteration = 0;
  bool is_warmup = false;
  double duration_s = 0;
};

template <typename Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Labels may hold commas, so that fields are counted from the end.
std::optional<Row> row_of(std::string_view line) {
  constexpr std::size_t after_label = 12;
  std::array<std::string_view, after_label> fields;
  const std::string_view first = line.substr(0, line.find(','));
  for (std::size_t i = after_label; i-- > 0;) {
    const std::size_t comma = line.rfind(',');
    if (comma == std::string_view::npos) return std::nullopt;
    fields[i] = line.substr(comma + 1);
    line.remove_suffix(line.size() - comma);
  }
  Row row;
  int is_warmup = 0;
  const bool is_row = read(first, row.run) && read(fields[1], row.iteration) && read(fields[2], is_warmup) &&
                      read(fields[5], row.duration_s);
  row.is_warmup = is_warmup != 0;
  return is_row && std::isfinite(row.duration_s) ? std::optional(row) : std::nullopt;
}

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
  std::getline(input, line);
  for (std::int64_t number = 2; std::getline(input, line); ++number) {
    const std::optional<Row> row = row_of(line);
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
