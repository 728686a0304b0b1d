#pragma once

#include <vector>

#include "io/json/json_reader.hpp"
#include "workloads/imbalance/imbalance_options.hpp"

namespace starling {

/// Reads the distributions and traces that `causes`, the `imbalance` at `place`, name.
/// @throws ScenarioError, also if more than one cause replaces compute times.
void load_imbalance(std::vector<Imbalance>& causes, const JsonPlace& place);

/// Reads an `imbalance` outside of a scenario, one cause or a list, for a job of `workers`, with the files
/// that it names. @throws ScenarioError.
std::vector<Imbalance> read_imbalance(const JsonPlace& place, int workers);

}  // namespace starling
