#include "analysis/validation/required_measurement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/validation/validation.hpp"
#include "io/json/json_text.hpp"
#include "io/version.hpp"
#include "scenarios/reading/scenario_hash.hpp"

namespace starling {

using nlohmann::json;

namespace {

/// Whether the measurement's hash shows that the files had the contents then that they have now.
bool has_hash_of(const SavedResult& measured, const std::string& of_files) {
  // The hash depends on the order of keys, so that must be kept.
  const auto document = nlohmann::ordered_json::parse(read_text_file(measured.file, largest_result_bytes));
  return document.at("scenario_hash") ==
         ScenarioHash::of(document.at("starling").get<std::string>(), document.at("scenario"), of_files);
}

void add_files(const SavedResult& measured, const RequiredMeasurement& asked, MeasurementFit& fit) {
  if (asked.file_names.empty()) return;
  const std::string names = fmt::format("{}", fmt::join(asked.file_names, ", "));
  const bool has_hash = value_at(measured.document, "/scenario_hash").is_string() &&
                        value_at(measured.document, "/starling").is_string();
  if (has_hash && has_hash_of(measured, asked.of_files)) return;
  const bool reads_the_same =
      measured.scenario == asked.scenario && value_at(measured.document, "/starling") == version();
  if (has_hash && reads_the_same)
    fit.contradictions.push_back(fmt::format("contents of {} were different when this was measured",
                                             asked.file_names.size() == 1 ? names : "one of " + names));
  else
    fit.warnings.push_back(fmt::format(
        "the existing measurement does not record whether {} had the same contents when it was made", names));
}

}  // namespace

RequiredMeasurement required_measurement(const Scenario& scenario, int repetitions) {
  RequiredMeasurement asked{.scenario = json::parse(scenario.as_read.dump()),
                            .of_files = ScenarioHash().of_files(scenario),
                            .file_names = {},
                            .repetitions = repetitions};
  for (const std::filesystem::path& file : scenario.input_files)
    asked.file_names.push_back(file.filename().string());
  return asked;
}

MeasurementFit fit_of(const SavedResult& measured, const RequiredMeasurement& asked) {
  MeasurementFit fit{.contradictions = differences_from_measured(asked.scenario, measured), .warnings = {}};
  for (const SavedRun& run : measured.runs) {
    if (!run.repetitions || *run.repetitions == asked.repetitions) continue;
    fit.contradictions.push_back(fmt::format("repetitions are {} in the study and {} in the measurement",
                                             asked.repetitions, *run.repetitions));
    break;
  }
  if (fit.is_the_same()) add_files(measured, asked, fit);
  return fit;
}

}  // namespace starling
