#include "scenarios/reading/trace_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/texts/number_in.hpp"
#include "base/texts/plain_text.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/shown_text.hpp"

namespace starling {

namespace {

constexpr std::string_view columns = "worker,iteration,seconds";
constexpr std::size_t longest_shown = 60;
/// The limit of all times, by which sums stay finite.
constexpr double longest_s = default_range(Dimension::time).greatest;

/// Removes the text up to the next comma from `rest`, and returns it without the comma and blanks around.
std::string_view next_field(std::string_view& rest) {
  const std::size_t comma = rest.find(',');
  const std::string_view field = trimmed(rest.substr(0, comma));
  rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  return field;
}

std::optional<TracePoint> parse_line(std::string_view line) {
  if (std::count(line.begin(), line.end(), ',') != 2) return std::nullopt;
  const auto worker = number_in<Rank>(next_field(line));
  const auto iteration = number_in<std::int64_t>(next_field(line));
  const auto seconds = number_in<double>(next_field(line));
  if (!worker || !iteration || !seconds) return std::nullopt;
  if (*worker < 0 || *iteration < 0 || !(*seconds >= 0 && *seconds <= longest_s)) return std::nullopt;
  return TracePoint{*worker, *iteration, *seconds};
}

bool names_columns(std::string_view line) {
  return next_field(line) == "worker" && next_field(line) == "iteration" && next_field(line) == "seconds" &&
         line.empty();
}

/// A line of the trace; the order of members sorts lines by worker and iteration.
struct TraceLine {
  Rank worker;
  std::int64_t iteration;
  int number;
  std::string_view text;
  auto operator<=>(const TraceLine&) const = default;
};

void check_all_differ(std::vector<TraceLine> lines, const std::filesystem::path& file) {
  std::ranges::sort(lines);
  const auto first = std::ranges::adjacent_find(lines, [](const TraceLine& one, const TraceLine& next) {
    return one.worker == next.worker && one.iteration == next.iteration;
  });
  if (first == lines.end()) return;
  const TraceLine& second = *std::next(first);
  throw ScenarioError(
      {file.string(), fmt::format("line {}", second.number),
       fmt::format("a second time of worker {} in iteration {}", second.worker, second.iteration),
       fmt::format("\"{}\"", shortened(second.text, longest_shown)), "one for each worker and iteration"});
}

}  // namespace

std::vector<TracePoint> read_trace_file(const std::filesystem::path& file) {
  const std::string text = read_text_file(file);
  refuse_utf_16(text, file.string());
  std::vector<TracePoint> points;
  std::vector<TraceLine> lines;
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    if (line.empty() || (number == 1 && names_columns(line))) continue;

    const auto point = parse_line(line);
    if (!point)
      throw ScenarioError({file.string(), fmt::format("line {}", number), "not a point of a trace",
                           fmt::format("\"{}\"", shortened(line, longest_shown)),
                           fmt::format("{} of at most {:g} s, such as 0,12,0.615", columns, longest_s)});
    lines.push_back({point->worker, point->iteration, number, line});
    points.push_back(*point);
  }
  if (points.empty())
    throw ScenarioError({file.string(), "", "has no points", "", fmt::format("lines of {}", columns)});
  check_all_differ(std::move(lines), file);
  return points;
}

}  // namespace starling
