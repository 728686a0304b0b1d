#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validation/validation.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// A scenario that is predicted and measured.
struct StudyCase {
  std::filesystem::path scenario;
  std::vector<std::string> overrides;    // /json/pointer=VALUE
  std::optional<std::string> network;    // in words; by default what the scenario says
  std::optional<std::string> imbalance;  // likewise
  std::filesystem::path study = {};      // the file that it stands in
  std::string place = {};                // there
};

/// Where a study's scenarios are measured.
enum class Launcher {
  local,     ///< By mpirun on this machine.
  hostfile,  ///< By mpirun on the hosts of a file.
  testbed,   ///< In a testbed with the scenario's network on this machine.
};

/// The greatest errors that a study may show; relative.
struct ErrorBand {
  double mean = 0;
  double worst = 0;
  int attempts = 1;  // measurements of a case, as long as it is outside

  bool holds(const ValidationGroup& errors) const {
    return errors.mean_abs_error <= mean && errors.worst_abs_error <= worst;
  }
};

/// A list of scenarios to predict and to measure.
struct ValidationStudy {
  Launcher launcher = Launcher::local;
  std::filesystem::path hostfile;  // of that launcher only
  std::string testbed;             // its name
  int repetitions = 1;
  double case_timeout_s = 0;
  std::optional<ErrorBand> band;
  std::vector<StudyCase> cases;  // at least one
};

/// Reads and checks a study, but not its scenarios; `starling schema validation_study` describes it. Files
/// are found relative to it. @throws ScenarioError.
ValidationStudy read_validation_study(const std::filesystem::path& file);

/// Says of an error in a case's scenario where in the study that was changed, if it was.
ScenarioError naming_case(const ScenarioError& error, const StudyCase& one);

/// Reads a case's scenario, changed as the case says, and then by `more`. @throws ScenarioError, as by
/// naming_case(), also of what can be predicted, but not measured.
Scenario read_scenario(const StudyCase& one, std::vector<std::string> more = {});

/// The command that measures a case's scenario with `program` (this one) and writes to `out`: its words.
std::vector<std::string> measuring_command(const ValidationStudy& study, const StudyCase& one, int workers,
                                           const std::string& program, const std::filesystem::path& out);

}  // namespace starling
