#include "scenarios/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

namespace starling {
namespace {

constexpr std::string_view undefined = "–";

struct Unit {
  double size;
  std::string_view name;
};

/// Four significant digits in the first of the units (largest first) that the rounded value reaches, or in
/// the last; whole where the largest unit has more digits. Zero is in `unit_of_zero`.
std::string scaled_text(double value, std::span<const Unit> units, std::string_view unit_of_zero) {
  if (value == 0) return fmt::format("0 {}", unit_of_zero);
  // 999.95 and more would show as 1000.0, which is 1.000 of the next unit.
  constexpr double rounds_up = 0.99995;
  const auto reached = [value](const Unit& unit) { return std::abs(value) >= unit.size * rounds_up; };
  const auto found = std::find_if(units.begin(), units.end() - 1, reached);
  const double scaled = value / found->size;
  if (std::abs(scaled) >= 1000 && std::abs(scaled) < 1e15)
    return fmt::format("{:.0f} {}", scaled, found->name);
  return fmt::format("{:#.4g} {}", scaled, found->name);
}

/// Whole numbers in full, with a separator for thousands; small ones with four digits.
std::string rate_text(std::optional<double> rate) {
  if (!rate) return std::string(undefined);
  if (*rate < 1000) return fmt::format("{:.4g}", *rate);
  if (*rate > 1e15) return fmt::format("{:.3g}", *rate);
  std::string digits = fmt::format("{:.0f}", *rate);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
}

/// Four digits, or a dash where training has diverged.
std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string(undefined);
}

TableRow row_of(const RunResult& run) {
  return {run.label,
          time_text(run.iteration_time_s.mean),
          time_text(run.iteration_time_s.std),
          rate_text(run.throughput_samples_per_s),
          time_text(run.breakdown_s.exposed_communication),
          time_text(run.breakdown_s.imbalance_wait),
          bytes_text(run.traffic.bytes_per_worker_per_iteration),
          run.speedup ? fmt::format("{:.3f}", *run.speedup) : std::string(undefined)};
}

/// Characters, not bytes; labels may hold any UTF-8.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TableRow learning_row(const RunResult& run) {
  const LearningResult& learning = *run.learning;
  const LearningRecord& last = learning.rows.back().record;
  return {run.label, number_text(last.loss),
          learning.time_to_target_s ? time_text(*learning.time_to_target_s) : std::string(undefined),
          number_text(last.consensus_distance)};
}

/// What was learnt, if anything was to be.
std::string learning_block(const Result& result) {
  const auto& first = result.runs.front().learning;
  if (!first) return "";
  std::string text =
      fmt::format("\nlearning: {}, {} iterations", first->task, first->rows.back().record.iterations);
  if (first->target_loss) text += fmt::format(", target loss {:.6g}", *first->target_loss);
  std::vector<TableRow> rows{{"algorithm", "final loss", "time to target", "consensus distance"}};
  for (const RunResult& run : result.runs) rows.push_back(learning_row(run));
  return text + "\n\n" + aligned(rows);
}

std::string heading(const Result& result) {
  const RunResult& run = result.runs.front();
  std::string text =
      fmt::format("{}: {} workers, {} engine, {} iterations", result.scenario.value("name", "scenario"),
                  run.workers, result.engine, run.iterations);
  const auto warmup = result.scenario.value("warmup_iterations", 0);
  if (warmup > 0) text += fmt::format(" after {} to warm up", warmup);
  return text;
}

}  // namespace

std::string aligned(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const TableRow& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));

  std::string text;
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      text += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    text += '\n';
  }
  return text;
}

std::string time_text(double seconds) {
  static constexpr std::array<Unit, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  // Less than a tenth of a nanosecond is what rounding leaves of differences between points in time.
  return scaled_text(std::abs(seconds) < 1e-10 ? 0 : seconds, units, "s");
}

std::string bytes_text(double bytes) {
  static constexpr std::array<Unit, 5> units{{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
  return scaled_text(bytes, units, "B");
}

std::string result_table(const Result& result) {
  if (result.runs.empty()) return "";
  std::vector<TableRow> rows{{"algorithm", "iteration", "std", "samples/s", "exposed comm.", "imbalance wait",
                              "sent/worker", "speedup"}};
  for (const RunResult& run : result.runs) rows.push_back(row_of(run));
  return heading(result) + "\n\n" + aligned(rows) + learning_block(result);
}

}  // namespace starling
