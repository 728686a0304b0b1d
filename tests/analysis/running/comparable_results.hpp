#pragma once

#include <string>

#include "analysis/results/files/result_json.hpp"
#include "analysis/running/run_result.hpp"

namespace starling {

/// The sum of all parts of an iteration in seconds, which must be the mean iteration time.
inline double sum_of(const Breakdown& parts) {
  return parts.delay + parts.forward + parts.backward + parts.update + parts.exposed_communication +
         parts.imbalance_wait;
}

/// The JSON of a result without "simulation", which differs between executions of the same scenario.
inline std::string reproducible_part(const Result& result) {
  auto document = result_json(result);
  document.erase("simulation");
  return document.dump(2);
}

}  // namespace starling
