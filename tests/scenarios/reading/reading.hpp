#pragma once

#include <string>
#include <vector>

#include "scenarios/reading/scenario_reader.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"

namespace starling {

/// Reads the base scenario with changes, from a folder that has the files which good scenarios name.
class Reading {
 public:
  Reading() { write_named_files(folder_); }

  Scenario read(const std::vector<std::string>& changes,
                const std::vector<std::string>& overrides = {}) const {
    return read_scenario(folder_.write("scenario.json", changed_scenario(changes).dump()), overrides);
  }

  const ScratchFolder& folder() const { return folder_; }

 private:
  ScratchFolder folder_;
};

}  // namespace starling
