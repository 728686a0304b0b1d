#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/reading/scenario_hash.hpp"

namespace starling {

/// Watches over the input files of a sweep, which must not change while it runs: all runs have to read the
/// same. Thread-safe.
class SweepInputs {
 public:
  /// `known`: the files that earlier runs read, with the hashes of their contents; the first entry of a file
  /// counts.
  explicit SweepInputs(const std::vector<InputContent>& known);

  /// The files of a scenario that has just been read, with the hashes of their contents. @throws
  /// ScenarioError that names a file whose contents differ from those of an earlier call or of `known`.
  std::vector<InputContent> of(const Scenario& scenario);

 private:
  ScenarioHash hash_;
  std::mutex mutex_;
  std::map<std::string, std::string> contents_;
};

/// The first of these files whose contents are others now; nullopt if there is none. A file that cannot be
/// read counts as unchanged.
std::optional<std::string> changed_input(const std::vector<InputContent>& inputs);

}  // namespace starling
