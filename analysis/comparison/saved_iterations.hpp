#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// What an iterations.csv has of a run: the numbers of its counted iterations, in order, how long each took,
/// as mean over workers, and how many rows that are.
struct SavedIterations {
  std::vector<std::int64_t> numbers = {};
  std::vector<double> durations_s = {};
  std::int64_t rows = 0;
};

/// Of every run of an iterations.csv, in order. None if there is no such file. O(rows). @throws ScenarioError
/// if it cannot be read to its end, or ends within a line, for a row that is none, or a first line that lacks
/// a column.
std::vector<SavedIterations> read_iterations(const std::filesystem::path& file);

/// Iterations of several seeds, which have a run for each, are not looked at. @throws ScenarioError that says
/// what does not fit if the file's iterations are not those of the result's runs: as many runs, as many rows
/// of each, and the same mean but for rounding.
void check_iterations(const SavedResult& result, std::span<const SavedIterations> runs,
                      const std::filesystem::path& file);

}  // namespace starling
