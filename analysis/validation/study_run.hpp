#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/validation/validation.hpp"
#include "analysis/validation/validation_study.hpp"
#include "io/terminal/progress_line.hpp"

namespace starling {

/// The subfolder of a study's folder that holds its predictions and measurements.
inline constexpr const char* study_cases_folder = "cases";

/// Predicts and measures every case of a study, into FOLDER/cases: a folder for each, with predicted/,
/// measured/ and the output of the measurement in measured.log.
///
/// A case whose measurement is finished is not measured again; a measurement of another case, or of other
/// files or repetitions, is not used, and the warnings say what to remove. Predictions are always made anew,
/// with `overrides` on top of the case's own, which do not apply to the measurement: another engine, for
/// instance. The warnings name the cases that failed, and those that were measured again, into measured-2/
/// and so on, as they were outside of the study's band. @throws ScenarioError if a scenario is invalid,
/// before anything is measured; std::runtime_error if all cases fail.
Validation run_study(const ValidationStudy& study, const std::filesystem::path& folder,
                     const std::vector<std::string>& overrides, ProgressLine& progress);

}  // namespace starling
