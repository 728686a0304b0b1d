#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/reproduction/published_run.hpp"
#include "io/kept/kept_lines.hpp"
#include "scenarios/reading/scenario_hash.hpp"

namespace starling {

/// The figures of finished runs, kept in a file so that an interrupted reproduction can be resumed. The key
/// of a run is a hash of all that its figures follow from, of the build and of the predictor.
class KeptRuns {
 public:
  /// Without a file, no figures are kept. @throws std::system_error as OutputFile does.
  KeptRuns(const std::optional<std::filesystem::path>& file, Predictor predictor)
      : lines_(file), predictor_(predictor) {}

  /// The kept figures of the run; absent if there are none, or they do not have the expected form.
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
