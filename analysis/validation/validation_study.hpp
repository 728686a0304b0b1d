#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validation/validation.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// A scenario to predict and to measure.
struct StudyCase {
  std::filesystem::path scenario;
  std::vector<std::string> overrides;    // /json/pointer=VALUE
  std::optional<std::string> network;    // in words; by default derived from the scenario
  std::optional<std::string> imbalance;  // likewise
  std::filesystem::path study = {};      // the study's file
  std::string place = {};                // the case's JSON pointer in it
};

/// How and where a study's scenarios are measured.
enum class Launcher {
  local,     ///< By mpirun on this machine.
  hostfile,  ///< By mpirun on the hosts of a file.
  testbed,   ///< In a testbed with the scenario's network on this machine.
};

/// The greatest relative errors that a study may have.
struct ErrorBand {
  double mean = 0;
  double worst = 0;
  int attempts = 1;  // the most measurements of a case, as long as it is outside of the band

  bool holds(const ValidationGroup& errors) const {
    return errors.mean_abs_error <= mean && errors.worst_abs_error <= worst;
  }
};

/// A list of scenarios to predict and to measure.
struct ValidationStudy {
  Launcher launcher = Launcher::local;
  std::filesystem::path hostfile;  // only for that launcher
  std::string testbed;             // the testbed's name
  int repetitions = 1;
  double case_timeout_s = 0;
  std::optional<ErrorBand> band;
  std::vector<StudyCase> cases;  // at least one
};

/// Reads and checks a study, but not its scenarios; `starling schema validation_study` describes it. Paths in
/// it are relative to its folder. @throws ScenarioError if it is not valid.
ValidationStudy read_validation_study(const std::filesystem::path& file);

/// An error in a case's scenario, with the place in the study that has changed the scenario, if any has.
ScenarioError naming_case(const ScenarioError& error, const StudyCase& one);

/// Reads a case's scenario, with the case's overrides and then `more`. @throws ScenarioError, as by
/// naming_case(), if it is not valid, or can only be predicted.
Scenario read_scenario(const StudyCase& one, std::vector<std::string> more = {});

/// The words of the command that measures a case's scenario with `program` (this one) and writes to `out`.
std::vector<std::string> measuring_command(const ValidationStudy& study, const StudyCase& one, int workers,
                                           const std::string& program, const std::filesystem::path& out);

}  // namespace starling
