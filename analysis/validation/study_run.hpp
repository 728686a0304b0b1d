#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/validation/validation.hpp"
#include "analysis/validation/validation_study.hpp"
#include "io/terminal/progress_line.hpp"

namespace starling {

/// The part of a study's folder that holds what the study predicts and measures.
inline constexpr const char* study_cases_folder = "cases";

/// Predicts and measures every case of a study, into FOLDER/cases: a folder for each, with predicted/,
/// measured/ and what the measurement said in measured.log.
///
/// A case whose measurement is finished is not measured again; what is there of another case, or of other
/// files or repetitions, is not used, and the warnings say what to remove. Predictions are made anew, with
/// `overrides` besides the case's own, of which the measurement knows nothing: another engine for instance. A
/// case that fails is told in the warnings, as is one that the study's band has had measured again, into
/// measured-2/ and so on. @throws ScenarioError if a scenario is wrong, before anything is
/// measured; std::runtime_error if all cases fail.
Validation run_study(const ValidationStudy& study, const std::filesystem::path& folder,
                     const std::vector<std::string>& overrides, ProgressLine& progress);

}  // namespace starling
