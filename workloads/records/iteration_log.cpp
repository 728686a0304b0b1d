#include "workloads/records/iteration_log.hpp"

#include <utility>

namespace starling {

void IterationLog::reserve(std::size_t iterations) {
  LargeMemory larger(counts_.size() * iterations * sizeof(IterationRecord), most_in_memory_);
  auto* const records = static_cast<IterationRecord*>(larger.data());
  for (std::size_t rank = 0; rank < counts_.size(); ++rank)
    std::copy_n(first_of(static_cast<Rank>(rank)), counts_[rank], records + rank * iterations);
  memory_ = std::move(larger);
  capacity_ = iterations;
}

std::vector<double> ends_in_order_s(const IterationLog& log) {
  std::vector<double> ends_s;
  for (Rank rank = 0; rank < log.workers(); ++rank)
    for (const IterationRecord& record : log.of(rank)) ends_s.push_back(record.end_s);
  std::ranges::sort(ends_s);
  return ends_s;
}

std::size_t iterations_ended(const IterationLog& log, Rank rank, double time_s) {
  const std::span<const IterationRecord> records = log.of(rank);
  const auto next = std::ranges::upper_bound(records, time_s, {}, &IterationRecord::end_s);
  return static_cast<std::size_t>(next - records.begin());
}

}  // namespace starling
