#pragma once

#include <filesystem>

#include "scenarios/json_reader.hpp"
#include "workloads/distribution.hpp"

namespace starling {

/// Reads a distribution file: a histogram, quantiles or samples. @throws ScenarioError.
Distribution read_distribution_file(const std::filesystem::path& file);

/// The distribution that a scenario's value names: a shipped one. @throws ScenarioError.
Distribution read_shipped_distribution(const JsonPlace& place);

}  // namespace starling
