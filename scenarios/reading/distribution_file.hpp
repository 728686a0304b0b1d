#pragma once

#include <filesystem>

#include "io/json/json_reader.hpp"
#include "workloads/imbalance/distribution.hpp"

namespace starling {

/// Reads a distribution file: a histogram, quantiles or samples. @throws ScenarioError.
Distribution read_distribution_file(const std::filesystem::path& file);

/// The distribution that a scenario's value names: a shipped one. @throws ScenarioError.
Distribution read_shipped_distribution(const JsonPlace& place);

}  // namespace starling
