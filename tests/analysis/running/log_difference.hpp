#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include "tests/rounding.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// The greatest difference between times of two logs, relative to the end of the iteration. NaNs count as
/// differences.
inline double difference(const IterationLog& one, const IterationLog& other) {
  double greatest = 0;
  for (Rank rank = 0; rank < one.workers(); ++rank) {
    REQUIRE(one.of(rank).size() == other.of(rank).size());
    for (std::size_t i = 0; i < one.of(rank).size(); ++i) {
      const IterationRecord& a = one.of(rank)[i];
      const IterationRecord& b = other.of(rank)[i];
      for (const auto time :
           {&IterationRecord::end_s, &IterationRecord::ready_s, &IterationRecord::delay_s,
            &IterationRecord::forward_s, &IterationRecord::backward_s, &IterationRecord::update_s,
            &IterationRecord::blocked_s, &IterationRecord::planned_s})
        greatest = greater_error(greatest, std::abs(a.*time - b.*time) / b.end_s);
    }
  }
  return greatest;
}

}  // namespace starling
