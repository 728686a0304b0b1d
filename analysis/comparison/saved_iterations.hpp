#pragma once

#include <filesystem>
#include <vector>

namespace starling {

/// Of every run of an iterations.csv, in order: how long its counted iterations took, as means over workers.
/// None if there is no such file. O(rows). @throws ScenarioError for a row that is none, or a first
/// line that lacks a column.
std::vector<std::vector<double>> read_mean_durations_s(const std::filesystem::path& file);

}  // namespace starling
