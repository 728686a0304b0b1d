#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// The counted iterations of a run in an iterations.csv.
struct SavedIterations {
  std::vector<std::int64_t> numbers = {};  // ascending
  std::vector<double> durations_s = {};    // of each iteration, the mean over workers
  std::int64_t rows = 0;                   // of all these iterations in the file
};

/// The iterations of every run of an iterations.csv, in order; empty if there is no such file. O(rows).
/// @throws ScenarioError if the file cannot be read to its end, ends within a line, has a row that is not
/// valid, or lacks a column in its first line.
std::vector<SavedIterations> read_iterations(const std::filesystem::path& file);

/// Checks that the iterations of a file belong to the runs of a result: the same number of runs, of rows of
/// each, and the same means within rounding errors. Not for results of several seeds, whose files have a run
/// for each seed. @throws ScenarioError that says what does not fit.
void check_iterations(const SavedResult& result, std::span<const SavedIterations> runs,
                      const std::filesystem::path& file);

}  // namespace starling
