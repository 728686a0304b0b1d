#pragma once

#include "tests/analysis/running/small_scenario.hpp"

namespace starling {

/// Two algorithms, a billion iterations.
inline Scenario long_scenario() {
  Scenario scenario = small_scenario();
  scenario.iterations = 1'000'000'000;
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DdpOptions{});
  return scenario;
}

}  // namespace starling
