#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/reading/scenario_hash.hpp"

namespace starling {

/// What input files hold while a sweep runs: all runs have to read the same. Threads may use one at the same
/// time.
class SweepInputs {
 public:
  /// `known`: what the runs read that are there already; of each file the first counts.
  explicit SweepInputs(const std::vector<InputContent>& known);

  /// What the files of a scenario hold that has just been read. @throws ScenarioError that names a file if it
  /// held something else before.
  std::vector<InputContent> of(const Scenario& scenario);

 private:
  ScenarioHash hash_;
  std::mutex mutex_;
  std::map<std::string, std::string> contents_;
};

/// The first of these files that holds something else now; what cannot be read is none.
std::optional<std::string> changed_input(const std::vector<InputContent>& inputs);

}  // namespace starling
