#include "analysis/explanation/waiting.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "analysis/results/metrics.hpp"
#include "base/errors.hpp"

namespace starling {
namespace {

double own_work_s(const IterationRecord& record) {
  return record.delay_s + record.forward_s + record.backward_s;
}

/// Of every iteration: the own work of its slowest worker.
std::vector<double> longest_work_s(const IterationLog& log) {
  std::vector<double> longest_s(iterations_of(log));
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const std::span<const IterationRecord> records = log.of(rank);
    for (std::size_t i = 0; i < records.size(); ++i)
      longest_s[i] = std::max(longest_s[i], own_work_s(records[i]));
  }
  return longest_s;
}

}  // namespace

void attribute_waiting(IterationLog& log) {
  const std::vector<double> longest_s = longest_work_s(log);
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const std::span<IterationRecord> records = log.of(rank);
    for (std::size_t i = 0; i < records.size(); ++i)
      records[i].imbalance_wait_s = std::min(records[i].blocked_s, longest_s[i] - own_work_s(records[i]));
  }
}

void attribute_waiting(IterationLog& log, const IterationLog& free) {
  STARLING_INVARIANT(iterations_of(log) == iterations_of(free) && log.workers() == free.workers());
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const std::span<IterationRecord> records = log.of(rank);
    const std::span<const IterationRecord> of_free = free.of(rank);
    for (std::size_t i = 0; i < records.size(); ++i)
      records[i].imbalance_wait_s = std::min(records[i].blocked_s, of_free[i].blocked_s);
  }
}

}  // namespace starling
