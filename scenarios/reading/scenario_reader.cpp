#include "scenarios/reading/scenario_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/texts/plain_text.hpp"
#include "io/json/input_file.hpp"
#include "io/json/json_text.hpp"
#include "io/json/overrides.hpp"
#include "io/options/reader.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/description/iterations.hpp"
#include "scenarios/description/scenario_description.hpp"
#include "scenarios/reading/algorithm_reader.hpp"
#include "scenarios/reading/cluster_reader.hpp"
#include "scenarios/reading/jobs_reader.hpp"
#include "scenarios/reading/learning_reader.hpp"
#include "scenarios/reading/workload_reader.hpp"
#include "workloads/imbalance/imbalance_warnings.hpp"

namespace starling {

using nlohmann::json;

namespace {

/// Warns about runs without warm-up whose first iteration is shorter than the others. `place` is the JSON
/// pointer of a job, or empty.
void warn_about_warmup(const Scenario& scenario, const std::string& place,
                       std::vector<std::string>& warnings) {
  if (scenario.warmup_iterations > 0) return;
  for (const ScenarioAlgorithm& algorithm : scenario.algorithms)
    if (algorithm.options.traits().ends_before_its_messages)
      warnings.push_back(
          fmt::format("{}: {}/warmup_iterations: without warm-up the first iteration of {} counts, which is "
                      "shorter than the others, as no messages of a previous iteration arrive in it",
                      scenario.file.string(), place, algorithm.label));
}

std::int64_t most_iterations_of(const Scenario& scenario) {
  return scenario.precision ? scenario.precision->most_iterations : scenario.iterations;
}

/// Warns about imbalance and averages of models that would come only after the last iteration. `place` is the
/// JSON pointer of a job, or empty.
void warn_about_end(const Scenario& scenario, const std::string& place, std::vector<std::string>& warnings) {
  const std::int64_t iterations = most_iterations_of(scenario);
  for (const Imbalance& cause : scenario.imbalance)
    if (const auto warning = partial_cause_warning(cause, scenario.warmup_iterations, iterations))
      warnings.push_back(
          fmt::format("{}: {}/workload/imbalance: {}", scenario.file.string(), place, *warning));
  for (const ScenarioAlgorithm& algorithm : scenario.algorithms)
    if (const std::int64_t period = algorithm.options.model_averaging_period(); period > iterations)
      warnings.push_back(fmt::format(
          "{}: {}/iterations: {} averages all models every {} iterations, but the run has only {}",
          scenario.file.string(), place, algorithm.label, period, iterations));
}

/// Warns about options of algorithms that have no effect in a run of `iterations` iterations. `place` is the
/// JSON pointer of a job, or empty.
void warn_about_options(const Scenario& scenario, const std::string& place, std::int64_t iterations,
                        std::vector<std::string>& warnings) {
  const OptionConditions conditions{
      .iterations = iterations,
      .hosts_share = scenario.cluster.workers_per_host > 1,
      .may_delay = std::ranges::any_of(scenario.imbalance,
                                       [](const Imbalance& cause) { return nature_of(cause).may_delay; })};
  for (std::size_t i = 0; i < scenario.algorithms.size(); ++i) {
    const std::string algorithm = place.empty() ? fmt::format("/algorithms/{}", i) : place + "/algorithm";
    for (const OptionWarning& warning : scenario.algorithms[i].options.warnings(conditions))
      warnings.push_back(
          fmt::format("{}: {}/{}: {}", scenario.file.string(), algorithm, warning.key, warning.text));
  }
}

/// Warns about suspicious compute times and imbalance of the workers of a scenario or job. `place` is the
/// JSON pointer of a job, or empty.
void warn_about_computing(const Scenario& scenario, const std::string& place, int workers,
                          std::vector<std::string>& warnings) {
  if (!scenario.workload.compute_warning.empty())
    warnings.push_back(fmt::format("{}: {}/workload/compute: {}", scenario.file.string(), place,
                                   scenario.workload.compute_warning));
  for (const Imbalance& cause : scenario.imbalance)
    for (const std::string& warning : imbalance_warnings(cause, workers, scenario.workload.compute_total_s()))
      warnings.push_back(
          fmt::format("{}: {}/workload/imbalance: {}", scenario.file.string(), place, warning));
}

/// The scenario without the files that it names. `ineffective` gets warnings about keys without effect.
Scenario as_described(ScenarioDescription& description, const JsonPlace& root,
                      std::vector<std::string>& ineffective) {
  Scenario scenario;
  scenario.file = root.file();
  const OptionContext context{.seed = &description.seed, .warnings = &ineffective, .takes_errors = true};
  scenario.as_read = read_options(
      root, [&](OptionVisitor& visitor) { describe(description, visitor); }, context);
  scenario.name = description.name;
  scenario.seed = description.seed;
  scenario.iterations = description.iterations;
  scenario.precision = description.precision;
  scenario.warmup_iterations = description.warmup_iterations.value_or(default_warmup(description.iterations));
  scenario.engine = description.engine;
  scenario.simgrid = description.simgrid;
  scenario.fair = description.fair;
  scenario.collectives = description.collectives;
  scenario.cluster = description.cluster.options;
  scenario.transport = description.cluster.transport;
  scenario.transport_reason = description.cluster.transport_reason;
  scenario.message_costs = description.cluster.message_costs;
  scenario.message_costs.seed = scenario.seed;
  scenario.host_costs = description.cluster.host_costs;
  scenario.model_error = description.cluster.model_error;
  scenario.tcp = description.cluster.tcp;
  scenario.algorithms = description.algorithms;
  return scenario;
}

void load_files(Scenario& scenario, const ScenarioDescription& description, const JsonPlace& root) {
  const int workers = scenario.cluster.workers;
  WorkloadOptions workload =
      load_workload(description.workload, root.inside("workload"), workers, scenario.seed);
  scenario.workload = std::move(workload.workload);
  scenario.compute_kind = workload.compute_kind;
  scenario.imbalance = std::move(workload.imbalance);
  if (description.learning && description.precision)
    root.inside("iterations").fail("with \"learning\" the number of iterations must be fixed", "an integer");
  if (description.learning)
    scenario.learning =
        make_learning(*description.learning, root.inside("learning"),
                      {.workload = scenario.workload, .workers = workers, .seed = scenario.seed});
}

/// Names the last option from the command line that set the value to blame, if there is one.
ScenarioError naming_override(const ScenarioError& error, const std::filesystem::path& file,
                              const std::vector<Override>& changes) {
  ScenarioError::Description description = error.description();
  if (description.file != file.string()) return error;
  // An object that an override has created, for instance to change a value of a cluster file, has no kind.
  const bool may_be_made = description.problem.starts_with("unknown key") ||
                           description.problem.starts_with("key \"kind\" is missing");
  const auto is_to_blame = [&](const Override& change) {
    return concerns(change, description.place) || (may_be_made && may_have_made(change, description.place));
  };
  const auto last = std::find_if(changes.rbegin(), changes.rend(), is_to_blame);
  if (last != changes.rend()) description.file = name_of(*last);
  return ScenarioError(description);
}

/// Puts the JSON pointer of the scenario in its file before that of the error.
ScenarioError in_its_file(const ScenarioError& error, const std::filesystem::path& file,
                          const std::string& place) {
  ScenarioError::Description description = error.description();
  if (description.file == file.string()) description.place = place + description.place;
  return ScenarioError(description);
}

/// The same for warnings.
void put_in_their_file(std::vector<std::string>& warnings, const std::filesystem::path& file,
                       const std::string& place) {
  const std::string before = file.string() + ": ";
  for (std::string& warning : warnings)
    if (warning.starts_with(before)) warning.insert(before.size(), place);
}

/// The folder from which relative paths in the scenario of a result start.
std::filesystem::path folder_of_result(const json& named, const std::filesystem::path& file) {
  const JsonPlace place(named, file.string(), "/simulation/scenario_folder");
  const std::filesystem::path typed = place.text();
  if (file == name_of_stdin && typed.is_relative())
    place.fail("is relative to the folder of the result, which is unknown for standard input",
               "the path of the result.json in place of -");
  const auto folder = std::filesystem::absolute(file).parent_path() / typed;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    place.fail("no such folder", "the folder of the files that the scenario names, as seen from this one");
  return std::filesystem::proximate(folder).lexically_normal();
}

/// If the document is a result, replaces it by the result's scenario.
void take_scenario_of_result(ScenarioDocument& document) {
  const json& result = document.json;
  const auto scenario = result.find("scenario");
  if (!result.contains("starling") || scenario == result.end() || !scenario->is_object()) return;
  const json named = value_at(result, "/simulation/scenario_folder");
  if (!named.is_null()) document.folder = folder_of_result(named, document.file);
  document.place = "/scenario";
  document.json = json(*scenario);
}

}  // namespace

Scenario read_scenario_document(const json& document, const std::filesystem::path& file,
                                const std::filesystem::path& folder) {
  const JsonPlace root(document, file.string());
  const InputFileLog input_files(folder);
  ScenarioDescription description;
  description.name = file.stem().string();
  std::ranges::replace_if(description.name, is_control_byte, ' ');
  std::vector<std::string> ineffective;
  Scenario scenario = as_described(description, root, ineffective);
  scenario.folder = folder.empty() ? file.parent_path() : folder;
  if (description.jobs.empty()) {
    load_files(scenario, description, root);
    complete_algorithms(scenario.algorithms, root.inside("algorithms"), scenario.as_read.at("algorithms"),
                        scenario.cluster.workers % scenario.cluster.workers_per_host == 0);
  } else {
    read_jobs(scenario, description, root);
  }
  warn_about_cluster(root.inside("cluster"), description.cluster, scenario.warnings);
  scenario.warnings.insert(scenario.warnings.end(), ineffective.begin(), ineffective.end());
  warn_about_warmup(scenario, "", scenario.warnings);
  warn_about_end(scenario, "", scenario.warnings);
  warn_about_options(scenario, "", most_iterations_of(scenario), scenario.warnings);
  warn_about_computing(scenario, "", scenario.cluster.workers, scenario.warnings);
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const SharedJob& job = scenario.jobs[i];
    const std::string place = fmt::format("/jobs/{}", i);
    warn_about_warmup(job.scenario, place, scenario.warnings);
    warn_about_computing(job.scenario, place, static_cast<int>(job.workers.size()), scenario.warnings);
    if (!job.repeats) warn_about_end(job.scenario, place, scenario.warnings);
    warn_about_options(job.scenario, place, job.repeats ? most_iterations : most_iterations_of(job.scenario),
                       scenario.warnings);
  }
  scenario.input_files = input_files.paths();
  return scenario;
}

ScenarioDocument read_document(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const bool is_stdin = file == "-";
  ScenarioDocument document{.file = is_stdin ? name_of_stdin : file, .json = {}, .changes = {}};
  document.json = parse_json(is_stdin ? read_text_of_stdin() : read_text_file(file, largest_result_bytes),
                             document.file.string());
  take_scenario_of_result(document);
  for (const std::string& option : overrides) change(document, option);
  return document;
}

std::filesystem::path folder_of_named_files(const Scenario& scenario) {
  const std::string folder = scenario.folder.string();
  const auto is_relative = [&](const std::filesystem::path& input) {
    return folder.empty() ? input.is_relative() : input.string().starts_with(folder + "/");
  };
  if (std::ranges::none_of(scenario.input_files, is_relative)) return {};
  return folder.empty() ? "." : scenario.folder;
}

void change(ScenarioDocument& document, const std::string& override_option, const std::string& given_by) {
  document.changes.push_back(apply_override(document.json, parse_override(override_option, given_by)));
}

ScenarioError naming_override(const ScenarioError& error, const ScenarioDocument& document) {
  return in_its_file(naming_override(error, document.file, document.changes), document.file, document.place);
}

ScenarioError naming_override(const ScenarioError& error, const Scenario& scenario) {
  return in_its_file(naming_override(error, scenario.file, scenario.changes), scenario.file, scenario.place);
}

Scenario read_scenario(const ScenarioDocument& document) {
  return naming_overrides_of(document, [&] {
    Scenario scenario = read_scenario_document(document.json, document.file, document.folder);
    scenario.changes = document.changes;
    scenario.place = document.place;
    put_in_their_file(scenario.warnings, document.file, document.place);
    for (SharedJob& job : scenario.jobs) {
      job.scenario.changes = document.changes;
      job.scenario.place = document.place;
    }
    return scenario;
  });
}

Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return read_scenario(read_document(file, overrides));
}

}  // namespace starling
