#include "analysis/validation/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "algorithms/training/registry.hpp"
#include "analysis/results/computing.hpp"
#include "analysis/statistics/conformal.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/json_text.hpp"
#include "io/options/reader.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {

using nlohmann::json;

namespace {

[[noreturn]] void fail(const SavedResult& result, const std::string& place, const std::string& problem,
                       const std::string& got, const std::string& expected) {
  throw ScenarioError({result.file.string(), place, problem, got, expected});
}

void require_engines(const SavedResult& predicted, const SavedResult& measured) {
  const std::string order = "the folder of the prediction first, then that of the measurement";
  if (predicted.is_measured())
    fail(predicted, "/engine", "is a measurement, not a prediction", "\"mpi\"", order);
  if (!measured.is_measured())
    fail(measured, "/engine", "is a prediction, not a measurement", fmt::format("\"{}\"", measured.engine),
         "what starling native --out wrote; comparing two predictions does not validate them");
}

void add(std::vector<std::string>& texts, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(texts));
}

std::string shown_or_absent(const json& value) { return value.is_null() ? "nothing" : shown(value); }

/// The place of a change in a diff from `document` on. Elements appended to a list have no index in a diff;
/// `lengths` counts the elements of each list, those appended so far included.
std::string place_of_change(const json& change, const json& document,
                            std::map<std::string, std::size_t>& lengths) {
  const std::string path = change.at("path");
  if (!path.ends_with("/-")) return path;
  const std::string list = path.substr(0, path.size() - 2);
  const json before = value_at(document, list);
  if (!before.is_array()) return path;
  const auto length = lengths.try_emplace(list, before.size()).first;
  return pointer_to(list, length->second++);
}

/// "/batch_size is 32 in the prediction and 64 in the measurement" for each place at which two values differ.
std::vector<std::string> differences(const json& predicted, const json& measured, const std::string& root) {
  std::vector<std::string> texts;
  std::map<std::string, std::size_t> lengths;
  for (const json& change : json::diff(predicted, measured)) {
    const std::string place = place_of_change(change, predicted, lengths);
    texts.push_back(fmt::format("{}{} is {} in the prediction and {} in the measurement", root, place,
                                shown_or_absent(value_at(predicted, place)),
                                shown_or_absent(value_at(measured, place))));
  }
  return texts;
}

std::vector<std::string> differences_at(const json& predicted, const json& measured,
                                        const std::string& pointer) {
  return differences(without_errors(value_at(predicted, pointer)),
                     without_errors(value_at(measured, pointer)), pointer);
}

/// The workload without what may differ between prediction and measurement: the kind of computing (a timer or
/// a processor), and its slowdown by communication.
json workload_of(const SavedResult& result) {
  json workload = without_errors(value_at(result.scenario, "/workload"));
  if (const auto compute = workload.find("compute"); compute != workload.end() && compute->is_object())
    compute->erase("kind");
  if (workload.is_object()) workload.erase("communication_slowdown");
  return workload;
}

/// Whether two numbers differ by more than rounding.
bool is_other_work(double predicted, double measured) {
  constexpr double rounding = 1e-6;
  return std::abs(predicted - measured) > rounding * std::max(predicted, measured);
}

/// Differences of compute times. They show the contents of files that the scenario only names.
std::vector<std::string> differences_of_computing(const SavedResult& predicted, const SavedResult& measured) {
  std::vector<std::string> texts;
  for (const char* pointer : {"/compute/forward_s", "/compute/backward_s"}) {
    const json prediction = value_at(predicted.document, pointer);
    const json measurement = value_at(measured.document, pointer);
    if (prediction.is_number() && measurement.is_number() && is_other_work(prediction, measurement))
      texts.push_back(fmt::format("{} is {} in the prediction and {} in the measurement", pointer,
                                  shown(prediction), shown(measurement)));
  }
  return texts;
}

void require_same_job(const SavedResult& predicted, const SavedResult& measured) {
  std::vector<std::string> found = differences(workload_of(predicted), workload_of(measured), "/workload");
  for (const char* pointer : {"/cluster/workers", "/cluster/workers_per_host"})
    add(found, differences_at(predicted.scenario, measured.scenario, pointer));
  add(found, differences_of_computing(predicted, measured));
  if (!found.empty())
    fail(measured, "/scenario",
         fmt::format("the measured job is not the predicted one: {}", fmt::join(found, "; ")), "",
         "a measurement of the same workers and workload");
}

/// Differences that make the comparison less than fair, but not meaningless.
std::vector<std::string> warnings(const SavedResult& predicted, const SavedResult& measured) {
  std::vector<std::string> texts;
  for (const char* pointer : {"/seed", "/iterations", "/warmup_iterations", "/cluster/network"})
    add(texts, differences_at(predicted.scenario, measured.scenario, pointer));
  add(texts, differences_at(predicted.document, measured.document, "/starling"));
  if (have_other_files(predicted, measured))
    texts.emplace_back("a file that the scenario names had different contents in the measurement");
  return texts;
}

/// Likewise, for one algorithm.
std::vector<std::string> warnings_of(const SavedRun& prediction, const SavedRun& measurement) {
  std::vector<std::string> texts;
  const std::string& label = prediction.label;
  if (prediction.seeds > 1)
    texts.push_back(fmt::format("{} was predicted as a mean over {} seeds, and measured with one", label,
                                prediction.seeds));
  if (prediction.is_drifting)
    texts.push_back(fmt::format("iteration times of {} still drift while counted in the prediction", label));
  if (measurement.is_drifting)
    texts.push_back(fmt::format("iteration times of {} still drift while counted in the measurement", label));
  return texts;
}

void require_same_algorithm(const SavedResult& measured, const SavedRun& prediction,
                            const SavedRun& measurement) {
  const auto found = differences(prediction.asked_for(), measurement.asked_for(), "");
  if (!found.empty())
    fail(measured, "/runs",
         fmt::format("{} is not the algorithm that was predicted: {}", prediction.label,
                     fmt::join(found, "; ")),
         "", "the same options, or another label");
}

/// False for an algorithm that this program does not know.
bool sends_same_every_iteration(const SavedRun& run) {
  const auto& known = registered_algorithms();
  const auto found = std::ranges::find(known, run.algorithm.value("kind", ""), &RegisteredAlgorithm::kind);
  return found != known.end() && found->defaults.traits().sends_same_every_iteration;
}

void require_same_bytes(const SavedResult& measured, const SavedRun& prediction,
                        const SavedRun& measurement) {
  const auto predicted_bytes = prediction.bytes_per_worker_per_iteration;
  const auto measured_bytes = measurement.bytes_per_worker_per_iteration;
  const auto chosen = [](const SavedRun& run) { return run.algorithm.value(collectives_chosen_key, json()); };
  if (!predicted_bytes || !measured_bytes || prediction.iterations != measurement.iterations) return;
  if (!sends_same_every_iteration(prediction) || chosen(prediction) != chosen(measurement)) return;
  if (is_other_work(*predicted_bytes, *measured_bytes))
    fail(measured, "/runs",
         fmt::format("the measured job is not the predicted one: with {} a worker sends {} per iteration in "
                     "the prediction and {} in the measurement",
                     prediction.label, bytes_text(*predicted_bytes), bytes_text(*measured_bytes)),
         "", "a measurement of the same model");
}

/// The kinds of a scenario's `imbalance`, which is absent, an object or a list of them.
std::string imbalance_in_words(const json& scenario) {
  const json imbalance = value_at(scenario, "/workload/imbalance");
  if (imbalance.is_null()) return "none";
  std::vector<std::string> kinds;
  for (const json& cause : imbalance.is_array() ? imbalance : json::array({imbalance})) {
    const std::string kind = cause.value("kind", "?");
    kinds.push_back(cause.contains("name") ? cause.value("name", kind) : kind);
  }
  return kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, " + "));
}

std::string network_in_words(const json& scenario) {
  const json network = value_at(scenario, "/cluster/network");
  if (!network.is_object()) return "?";
  std::string text = network.value("kind", "?");
  const json bandwidth = value_at(network, "/link/bandwidth");
  const json latency = value_at(network, "/link/latency");
  if (bandwidth.is_number()) text += fmt::format(" {}/s", bytes_text(bandwidth));
  if (latency.is_number()) text += fmt::format(" {}", time_text(latency));
  return text;
}

ValidationCase case_of(const SavedResult& predicted, const SavedRun& prediction,
                       const SavedRun& measurement) {
  return {.scenario = predicted.scenario.value("name", "scenario"),
          .label = prediction.label,
          .network = network_in_words(predicted.scenario),
          .imbalance = imbalance_in_words(predicted.scenario),
          .workers = prediction.workers,
          .engine = predicted.engine,
          .predicted_s = prediction.mean_s,
          .measured_s = measurement.mean_s,
          .interval_90_s = prediction.interval_90_s,
          .repetitions = measurement.repetitions,
          .coefficient_of_variation = measurement.coefficient_of_variation,
          .predicted_breakdown_s = prediction.breakdown_s,
          .measured_breakdown_s = measurement.breakdown_s};
}

/// The first document without the keys that the second does not have, in objects and in elements of lists.
json only_common(const json& document, const json& other) {
  if (document.is_array() && other.is_array()) {
    json common = document;
    for (std::size_t i = 0; i < std::min(document.size(), other.size()); ++i)
      common[i] = only_common(document[i], other[i]);
    return common;
  }
  if (!document.is_object() || !other.is_object()) return document;
  json common = json::object();
  for (const auto& [key, value] : document.items())
    if (other.contains(key)) common[key] = only_common(value, other.at(key));
  return common;
}

double abs_error(const ValidationCase& one) { return std::abs(one.relative_error()); }

}  // namespace

std::vector<PhaseComparison> ValidationCase::phases() const {
  std::vector<PhaseComparison> phases;
  for (const BreakdownPart& part : breakdown_parts)
    phases.push_back({part, predicted_breakdown_s.*part.seconds, measured_breakdown_s.*part.seconds});
  return phases;
}

PhaseComparison ValidationCase::phase_that_differs() const {
  const auto all = phases();
  return *std::max_element(all.begin(), all.end(), [](const PhaseComparison& a, const PhaseComparison& b) {
    return std::abs(a.difference_s()) < std::abs(b.difference_s());
  });
}

Validation compare(const SavedResult& predicted, const SavedResult& measured) {
  require_engines(predicted, measured);
  require_same_job(predicted, measured);
  Validation validation;
  validation.warnings = warnings(predicted, measured);
  for (const SavedRun& prediction : predicted.runs) {
    const SavedRun* measurement = measured.run_named(prediction.label);
    if (measurement == nullptr) {
      validation.warnings.push_back(fmt::format("{} was predicted, but not measured", prediction.label));
      continue;
    }
    require_same_algorithm(measured, prediction, *measurement);
    require_same_bytes(measured, prediction, *measurement);
    if (measurement->mean_s <= 0)
      fail(measured, "/runs", fmt::format("measured iterations of {} take no time", prediction.label), "",
           "a measurement");
    add(validation.warnings, warnings_of(prediction, *measurement));
    add(validation.warnings, signs_of_load(measurement->label, measurement->mean_s, measurement->mean_late_s,
                                           measurement->coefficient_of_variation));
    validation.cases.push_back(case_of(predicted, prediction, *measurement));
  }
  for (const SavedRun& measurement : measured.runs)
    if (predicted.run_named(measurement.label) == nullptr)
      validation.warnings.push_back(fmt::format("{} was measured, but not predicted", measurement.label));
  if (validation.cases.empty())
    fail(measured, "/runs", "no algorithm was both predicted and measured", "",
         "the same labels in both results");
  return validation;
}

std::vector<std::string> differences_from_measured(const json& scenario, const SavedResult& measured) {
  json asked = scenario;
  json done = measured.scenario;
  for (json* each : {&asked, &done})
    if (each->contains("workload") && each->at("workload").is_object())
      each->at("workload").erase("communication_slowdown");
  if (value_at(measured.document, "/starling") != version()) {
    asked = only_common(asked, done);
    done = only_common(done, asked);
  }
  std::vector<std::string> found;
  for (const char* pointer :
       {"/seed", "/iterations", "/warmup_iterations", "/cluster/workers", "/cluster/workers_per_host",
        "/cluster/network", "/cluster/intra_host_link", "/workload", "/learning", "/algorithms"})
    add(found, differences_at(asked, done, pointer));
  return found;
}

std::vector<ValidationGroup> groups_of(const std::vector<ValidationCase>& cases) {
  const auto is_same = [](const ValidationCase& a, const ValidationCase& b) {
    return a.label == b.label && a.imbalance == b.imbalance && a.network == b.network;
  };
  std::vector<std::vector<ValidationCase>> members;
  for (const ValidationCase& one : cases) {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const auto& group) { return is_same(group.front(), one); });
    if (found == members.end())
      members.push_back({one});
    else
      found->push_back(one);
  }
  std::vector<ValidationGroup> groups;
  for (const auto& group : members) {
    groups.push_back(summary_of(group));
    groups.back().label = group.front().label;
    groups.back().imbalance = group.front().imbalance;
    groups.back().network = group.front().network;
  }
  return groups;
}

void add_intervals(Validation& validation) {
  const auto situation = [](const ValidationCase& one) {
    return fmt::format("{}, {} workers, {}", one.network, one.workers, one.imbalance);
  };
  PredictionErrors errors;
  for (const ValidationCase& one : validation.cases)
    if (one.predicted_s > 0 && one.measured_s > 0)
      errors.add(situation(one), one.predicted_s, one.measured_s);
  for (ValidationCase& one : validation.cases)
    if (!one.interval_90_s && one.predicted_s != 0)
      one.interval_90_s = errors.interval_of(situation(one), one.predicted_s);
  if (const auto factor = errors.factor()) validation.model_error = *factor - 1;
}

ValidationGroup summary_of(const std::vector<ValidationCase>& cases) {
  ValidationGroup summary;
  double spread = 0;
  int repeated = 0;
  for (const ValidationCase& one : cases) {
    ++summary.cases;
    summary.mean_abs_error += abs_error(one);
    summary.worst_abs_error = std::max(summary.worst_abs_error, abs_error(one));
    if (one.interval_90_s) {
      ++summary.with_interval;
      summary.inside_interval += one.interval_90_s->holds(one.measured_s) ? 1 : 0;
    }
    if (!one.coefficient_of_variation) continue;
    spread += *one.coefficient_of_variation;
    ++repeated;
  }
  summary.mean_abs_error /= summary.cases;
  if (repeated > 0) summary.coefficient_of_variation = spread / repeated;
  return summary;
}

std::vector<ValidationCase> worst_cases(std::vector<ValidationCase> cases, std::size_t most) {
  std::stable_sort(cases.begin(), cases.end(), [](const ValidationCase& a, const ValidationCase& b) {
    return abs_error(a) > abs_error(b);
  });
  if (cases.size() > most) cases.resize(most);
  return cases;
}

}  // namespace starling
