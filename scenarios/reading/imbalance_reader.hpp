#pragma once

#include <string>
#include <vector>

#include "io/json_reader.hpp"
#include "workloads/imbalance/imbalance.hpp"

namespace starling {

/// A scenario's `imbalance`, one cause or a list of them, for that many workers. What does not depend on the
/// workload is checked here. @throws ScenarioError.
Normalized<std::vector<Imbalance>> read_imbalance(const JsonPlace& place, int workers);

/// The kinds of load imbalance that this version has.
const std::vector<std::string>& imbalance_kinds();

}  // namespace starling
