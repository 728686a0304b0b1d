#pragma once

#include <string>

#include "analysis/results/files/result_json.hpp"
#include "analysis/running/run_result.hpp"

namespace starling {

/// All parts of an iteration, in seconds: its mean time.
inline double sum_of(const Breakdown& parts) {
  return parts.delay + parts.forward + parts.backward + parts.update + parts.exposed_communication +
         parts.imbalance_wait;
}

/// The result without what differs between two simulations of the same.
inline std::string reproducible_part(const Result& result) {
  auto document = result_json(result);
  document.erase("simulation");
  return document.dump(2);
}

}  // namespace starling
