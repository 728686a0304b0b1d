#include "analysis/explanation/waiting.hpp"

#include <algorithm>

#include "analysis/results/metrics.hpp"
#include "base/errors.hpp"

namespace starling {
namespace {

double own_work_s(const IterationRecord& record) {
  return record.delay_s + record.forward_s + record.backward_s;
}

}  // namespace

void attribute_waiting(IterationLog& log) {
  const std::size_t iterations = iterations_of(log);
  for (std::size_t i = 0; i < iterations; ++i) {
    double longest_s = 0;
    for (Rank rank = 0; rank < log.workers(); ++rank)
      longest_s = std::max(longest_s, own_work_s(log.of(rank)[i]));
    for (Rank rank = 0; rank < log.workers(); ++rank) {
      IterationRecord& record = log.of(rank)[i];
      record.imbalance_wait_s = std::min(record.blocked_s, longest_s - own_work_s(record));
    }
  }
}

void attribute_waiting(IterationLog& log, const IterationLog& free) {
  STARLING_INVARIANT(iterations_of(log) == iterations_of(free) && log.workers() == free.workers());
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    std::vector<IterationRecord>& records = log.of(rank);
    for (std::size_t i = 0; i < records.size(); ++i)
      records[i].imbalance_wait_s = std::min(records[i].blocked_s, free.of(rank)[i].blocked_s);
  }
}

}  // namespace starling
