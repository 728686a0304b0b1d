#include "analysis/validation/validation_study.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iterator>
#include <string>
#include <utility>

#include "io/json/input_file.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/json_text.hpp"
#include "io/json/schema.hpp"
#include "io/processes/child_process.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

using nlohmann::json;

namespace {

constexpr int most_repetitions = 1000;
constexpr int most_attempts = 10;
constexpr double default_timeout_s = 600;

StudyCase read_case(const JsonPlace& place) {
  ObjectReader object(place, {"scenario", "set", "network", "imbalance"});
  StudyCase one{.scenario = input_path(object.at("scenario", "a file"), {}, "study"),
                .overrides = {},
                .network = object.optional_text("network"),
                .imbalance = object.optional_text("imbalance"),
                .study = place.file(),
                .place = place.pointer()};
  if (object.has("set"))
    for (const JsonPlace& change : object.at("set").elements()) one.overrides.push_back(change.text());
  return one;
}

ErrorBand read_band(const JsonPlace& place) {
  ObjectReader object(place, {"mean", "worst", "attempts", "reason"});
  object.text("reason");
  return {.mean = object.number("mean", Range::above(0)),
          .worst = object.number("worst", Range::above(0)),
          .attempts = object.small_integer("attempts", {1, most_attempts}, 1)};
}

void read_launcher(ObjectReader& object, ValidationStudy& study) {
  const std::string launcher = object.choice("launcher", {"local", "hostfile", "testbed"}, "local");
  study.launcher = launcher == "local"      ? Launcher::local
                   : launcher == "hostfile" ? Launcher::hostfile
                                            : Launcher::testbed;
  const bool needs_file = study.launcher == Launcher::hostfile;
  if (needs_file != object.has("hostfile"))
    throw ScenarioError({object.place().file(), "/hostfile",
                         needs_file ? "is missing" : "is not used by this launcher", "",
                         "a hostfile with the launcher \"hostfile\", and only with it"});
  // A name of its own, as another study may run at the same time.
  study.testbed = fmt::format("v{}", ::getpid());
  if (needs_file) study.hostfile = input_path(object.at("hostfile"), {}, "study");
}

void require_measurable(const Scenario& scenario) {
  if (!scenario.jobs.empty())
    throw ScenarioError({scenario.file.string(), "/jobs", "several jobs are predicted, but not measured", "",
                         "a scenario with \"workload\" and \"algorithms\""});
  if (scenario.precision)
    throw ScenarioError({scenario.file.string(), "/iterations", "a measurement needs a number of iterations",
                         "", "a number"});
}

}  // namespace

ScenarioError naming_case(const ScenarioError& error, const StudyCase& one) {
  ScenarioError::Description description = error.description();
  for (std::size_t i = 0; i < one.overrides.size(); ++i) {
    if (description.file != "--set " + one.overrides[i]) continue;
    if (!description.place.empty())
      description.problem = fmt::format("{}: {}", description.place, description.problem);
    description.file = one.study.string();
    description.place = fmt::format("{}/set/{}", one.place, i);
    return ScenarioError(description);
  }
  if (!one.overrides.empty())
    description.problem += fmt::format(" (as {}: {} changes it)", one.study.string(), one.place);
  return ScenarioError(description);
}

ValidationStudy read_validation_study(const std::filesystem::path& file) {
  const json document = parse_json(read_text_file(file), file.string());
  ObjectReader object(JsonPlace(document, file.string()), {"description", "launcher", "hostfile",
                                                           "repetitions", "case_timeout", "band", "cases"});
  ValidationStudy study;
  read_launcher(object, study);
  study.repetitions = object.small_integer("repetitions", {1, most_repetitions}, 3);
  study.case_timeout_s = object.quantity("case_timeout", Dimension::time, default_timeout_s, Range::above(0));
  if (const auto band = object.find("band")) study.band = read_band(*band);
  for (const JsonPlace& place : object.at("cases", "a list of cases").elements(1))
    study.cases.push_back(read_case(place));
  validate_against_schema(document, "validation_study", file.string());
  return study;
}

Scenario read_scenario(const StudyCase& one, std::vector<std::string> more) {
  std::vector<std::string> changes = one.overrides;
  std::move(more.begin(), more.end(), std::back_inserter(changes));
  try {
    Scenario scenario = read_scenario(one.scenario, changes);
    require_measurable(scenario);
    return scenario;
  } catch (const ScenarioError& error) {
    throw naming_case(error, one);
  }
}

std::vector<std::string> measuring_command(const ValidationStudy& study, const StudyCase& one, int workers,
                                           const std::string& program, const std::filesystem::path& out) {
  std::vector<std::string> settings;
  for (const std::string& change : one.overrides) settings.insert(settings.end(), {"--set", change});

  // The time limit lets a study go on with the next case where one hangs.
  std::vector<std::string> words = time_limit_words(study.case_timeout_s);
  if (study.launcher == Launcher::testbed) {
    words.insert(words.end(), {program, "testbed", "exec", "--name", study.testbed, one.scenario.string()});
    words.insert(words.end(), settings.begin(), settings.end());
    words.emplace_back("--");
  } else {
    words.insert(words.end(), {"mpirun", "-n", std::to_string(workers)});
    if (study.launcher == Launcher::hostfile)
      words.insert(words.end(), {"--hostfile", study.hostfile.string()});
  }
  words.insert(words.end(), {program, "native", one.scenario.string()});
  words.insert(words.end(), settings.begin(), settings.end());
  words.insert(words.end(),
               {"--repeat", std::to_string(study.repetitions), "--out", out.string(), "--quiet"});
  return words;
}

}  // namespace starling
