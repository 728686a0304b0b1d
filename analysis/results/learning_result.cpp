#include "analysis/results/learning_result.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace starling {
namespace {

/// When the last worker had ended so many iterations.
double end_s(const IterationLog& log, std::int64_t iterations) {
  if (iterations == 0) return 0;
  double last_s = 0;
  for (Rank rank = 0; rank < log.workers(); ++rank)
    last_s = std::max(last_s, log.of(rank)[static_cast<std::size_t>(iterations - 1)].end_s);
  return last_s;
}

std::string after(std::int64_t iterations) {
  return fmt::format("after {} iteration{}", iterations, iterations == 1 ? "" : "s");
}

/// Why there is no time to a target; that training has diverged says most.
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
  for (const LearningRecord& record : records)
    result.rows.push_back({.time_s = end_s(log, record.iterations), .record = record});
  const auto reached = std::ranges::find_if(result.rows, [&](const LearningRow& row) {
    return options.target_loss && row.record.loss <= *options.target_loss;
  });
  if (reached != result.rows.end())
    result.time_to_target_s = reached->time_s;
  else
    result.reason = reason_for_none(result.rows, options.target_loss);
  return result;
}

}  // namespace starling
