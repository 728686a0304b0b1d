#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/reproduction/published_run.hpp"
#include "io/kept/kept_lines.hpp"
#include "scenarios/reading/scenario_hash.hpp"

namespace starling {

/// The figures of runs, kept in a file as they end, so that a reproduction that was interrupted goes on. Runs
/// are known by all that their figures follow from, by version and predictor.
class KeptRuns {
 public:
  /// Without a file, nothing is kept. @throws std::system_error as OutputFile does.
  KeptRuns(const std::optional<std::filesystem::path>& file, Predictor predictor)
      : lines_(file), predictor_(predictor) {}

  /// What was kept of the run, if it is there, and of the form that it should have.
  std::optional<RunFigures> find(const PublishedRun& run);
  /// @throws std::system_error if it cannot be written.
  void keep(const PublishedRun& run, const RunFigures& figures);

 private:
  std::string key_of(const PublishedRun& run);

  KeptLines lines_;
  Predictor predictor_;
  ScenarioHash hash_;
};

}  // namespace starling
