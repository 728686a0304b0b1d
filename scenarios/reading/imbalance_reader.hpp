#pragma once

#include <vector>

#include "io/json/json_reader.hpp"
#include "workloads/imbalance/imbalance_options.hpp"

namespace starling {

/// Reads the distributions and traces that the causes of the `imbalance` at that place name. @throws
/// ScenarioError.
void load_imbalance(std::vector<Imbalance>& causes, const JsonPlace& place);

/// Reads an `imbalance` that stands outside of a scenario, one cause or a list, for a job of that many
/// workers, with the files that it names. @throws ScenarioError.
std::vector<Imbalance> read_imbalance(const JsonPlace& place, int workers);

}  // namespace starling
