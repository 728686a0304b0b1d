#pragma once

#include <filesystem>

#include "io/json/json_reader.hpp"
#include "workloads/imbalance/distribution.hpp"

namespace starling {

/// Reads a distribution file: a histogram, quantiles or samples. @throws ScenarioError.
Distribution read_distribution_file(const std::filesystem::path& file);

/// Reads the shipped distribution that the value at `place` names. @throws ScenarioError.
Distribution read_shipped_distribution(const JsonPlace& place);

}  // namespace starling
