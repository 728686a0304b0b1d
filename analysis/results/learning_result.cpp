#include "analysis/results/learning_result.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/texts/text_table.hpp"

namespace starling {
namespace {

/// A caution if a worker had ended all its iterations, by more than the duration of one, before the target
/// was reached; else empty.
std::string caution_of(double time_to_target_s, const IterationLog& log) {
  double first_s = std::numeric_limits<double>::infinity();
  for (Rank rank = 0; rank < log.workers(); ++rank) first_s = std::min(first_s, log.of(rank).back().end_s);
  const auto iterations = static_cast<double>(log.of(0).size());
  if (time_to_target_s - first_s <= first_s / iterations) return "";
  return fmt::format(
      "the target was reached after the fastest worker had ended its last iteration, at {}; with more "
      "iterations it may be reached sooner",
      time_text(first_s));
}

std::string after(std::int64_t iterations) { return "after " + counted(iterations, "iteration"); }

/// Why there is no time to a target. Divergence comes first among the reasons.
std::string reason_for_none(const std::vector<LearningRow>& rows, std::optional<double> target_loss) {
  for (const LearningRow& row : rows)
    if (!std::isfinite(row.record.loss))
      return "training diverged: the loss was not a finite number " + after(row.record.iterations);
  if (!target_loss) return "no target loss was set";
  return fmt::format("the loss was {:.6g} {}, above the target of {:.6g}", rows.back().record.loss,
                     after(rows.back().record.iterations), *target_loss);
}

}  // namespace

LearningResult learning_result(const LearningOptions& options, const std::vector<LearningRecord>& records,
                               const IterationLog& log) {
  LearningResult result{.task = options.task_name, .rows = {}, .target_loss = options.target_loss};
  const std::vector<double> ends_s = ends_in_order_s(log);
  for (const LearningRecord& record : records) {
    const auto ended = static_cast<std::size_t>(record.iterations) * static_cast<std::size_t>(log.workers());
    result.rows.push_back({.time_s = ended == 0 ? 0 : ends_s[ended - 1], .record = record});
  }
  const auto reached = std::ranges::find_if(result.rows, [&](const LearningRow& row) {
    return options.target_loss && row.record.loss <= *options.target_loss;
  });
  if (reached == result.rows.end()) {
    result.reason = reason_for_none(result.rows, options.target_loss);
  } else {
    result.time_to_target_s = reached->time_s;
    result.caution = caution_of(reached->time_s, log);
  }
  return result;
}

}  // namespace starling
