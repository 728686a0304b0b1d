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

}  // namespace starling
