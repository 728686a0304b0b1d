#include "analysis/results/files/saved_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "io/json/json_text.hpp"
#include "io/json/schema.hpp"
#include "io/scenario_error.hpp"
#include "io/version.hpp"

namespace starling {

using nlohmann::json;

namespace {

std::filesystem::path result_file(const std::filesystem::path& folder_or_file) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder_or_file, error)) return folder_or_file;
  const std::filesystem::path file = folder_or_file / "result.json";
  if (std::filesystem::exists(file, error)) return file;
  const bool is_unfinished = std::filesystem::exists(folder_or_file / "result.partial.json", error);
  throw ScenarioError(
      {folder_or_file.string(), "",
       is_unfinished ? "the run that writes here has not finished" : "there is no result.json", "",
       "a folder that `starling run --out` or `starling native --out` has written"});
}

/// Refuses a file of another kind by naming its keys, which says more than naming the missing ones.
void check_is_result(const json& document, const std::filesystem::path& file) {
  if (document.is_object() && document.contains("engine") && document.contains("runs")) return;
  std::string got = document.type_name();
  if (document.is_object()) {
    std::vector<std::string> keys;
    for (const auto& item : document.items()) keys.push_back(item.key());
    got = fmt::format("an object with the keys {}", fmt::join(keys, ", "));
  }
  throw ScenarioError({file.string(), "", "this is not the result of a run", got, written_result});
}

Breakdown breakdown_of(const json& seconds) {
  Breakdown breakdown;
  for (const BreakdownPart& part : breakdown_parts) breakdown.*part.seconds = seconds.at(part.key);
  return breakdown;
}

template <typename T>
std::optional<T> optional_value(const json& object, const char* pointer) {
  const json value = value_at(object, pointer);
  return value.is_null() ? std::nullopt : std::optional(value.get<T>());
}

std::vector<SavedLink> links_of(const json& run) {
  std::vector<SavedLink> links;
  const auto found = run.find("links");
  if (found == run.end() || found->is_null()) return links;
  for (const json& link : found->at("used"))
    links.push_back({.name = link.at("name"),
                     .bytes_per_iteration = link.at("bytes_per_iteration"),
                     .bound_s = link.at("bound_s"),
                     .busy_fraction = link.at("busy_fraction")});
  return links;
}

std::vector<SavedPathPart> path_of(const json& run) {
  std::vector<SavedPathPart> path;
  const auto found = run.find("critical_path");
  if (found == run.end() || found->is_null()) return path;
  for (const json& part : found->at("parts")) {
    const std::string spent_on = part.at("spent_on");
    std::string what = spent_on;
    if (part.contains("rank")) what += fmt::format(" of rank {}", part.at("rank").get<int>());
    if (part.contains("link")) what += " " + part.at("link").get<std::string>();
    path.push_back({.spent_on = spent_on, .what = std::move(what), .s = part.at("s")});
  }
  return path;
}

std::vector<Replication> replications_of(const json& run) {
  std::vector<Replication> replications;
  const auto found = run.find("replications");
  if (found == run.end()) return replications;
  for (const json& each : *found)
    replications.push_back(
        {.seed = each.at("seed"),
         .mean_s = each.at("iteration_time_s"),
         .iterations = each.value("iterations", run.value("iterations", std::int64_t{0}))});
  return replications;
}

SavedRun run_of(const json& run) {
  return {.label = run.at("label"),
          .algorithm = run.at("algorithm"),
          .workers = run.at("workers"),
          .pattern_period = run.value("pattern_period", std::int64_t{1}),
          .least_batch = run.value("least_batch_iterations", std::int64_t{1}),
          .mean_s = run.at("iteration_time_s").at("mean"),
          .breakdown_s = breakdown_of(run.at("breakdown_s")),
          .interval_95_s = saved_interval(run, "interval_95_s"),
          .interval_90_s = saved_interval(run, "interval_90_s"),
          .is_drifting = run.contains("drift_s"),
          .links = links_of(run),
          .path = path_of(run),
          .seeds = run.contains("replications") ? std::ssize(run.at("replications")) : 1,
          .replications = replications_of(run),
          .repetitions = optional_value<std::int64_t>(run, "/repetitions"),
          .coefficient_of_variation = optional_value<double>(run, "/coefficient_of_variation"),
          .mean_late_s = optional_value<double>(run, "/computing/late_s/mean"),
          .iterations = optional_value<std::int64_t>(run, "/iterations"),
          .bytes_per_worker_per_iteration =
              optional_value<double>(run, "/traffic/bytes_per_worker_per_iteration")};
}

/// Refuses two runs with the same label, as runs are looked up by label.
void check_labels(const std::vector<SavedRun>& runs, const std::filesystem::path& file) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto [first, is_new] = numbers.emplace(runs[i].label, i);
    if (!is_new)
      throw ScenarioError({file.string(), fmt::format("/runs/{}/label", i),
                           fmt::format("this label is taken by /runs/{}", first->second), runs[i].label,
                           "a label of its own"});
  }
}

}  // namespace

void refuse_form(const std::filesystem::path& file, const json::exception& error,
                 const std::string& expected) {
  const std::string text = error.what();  // "[json.exception.out_of_range.403] key 'points' not found"
  const std::size_t end_of_number = text.find("] ");
  const std::string reason = end_of_number == std::string::npos ? text : text.substr(end_of_number + 2);
  throw ScenarioError({file.string(), "", fmt::format("not of the expected form: {}", reason), "", expected});
}

std::string other_version_text(const json& document) {
  const json writer = value_at(document, "/starling");
  if (!writer.is_string() || writer == version()) return "";
  return fmt::format("written by starling {}, and this is {}", writer.get<std::string>(), version());
}

bool have_other_files(const SavedResult& first, const SavedResult& second) {
  const auto differ = [&](const char* pointer) {
    const json of_first = value_at(first.document, pointer);
    const json of_second = value_at(second.document, pointer);
    return of_first.is_string() && of_second.is_string() && of_first != of_second;
  };
  return !differ("/starling") && differ("/scenario_hash") && first.scenario == second.scenario;
}

const json& blocks_of(const json& result) {
  return result.contains("jobs") ? result.at("jobs") : result.at("runs");
}

std::string label_of(const json& block) {
  return block.at(block.contains("label") ? "label" : "name").get<std::string>();
}

std::optional<std::int64_t> counted_partially(const json& block) {
  return counted_partially(block.value("iterations", std::int64_t{0}),
                           block.value("pattern_period", std::int64_t{1}), replications_of(block));
}

std::optional<Interval> saved_interval(const json& run, const char* key) {
  const auto found = run.find(key);
  if (found == run.end() || found->is_null()) return std::nullopt;
  return Interval{.least = found->at(0), .greatest = found->at(1)};
}

nlohmann::json SavedRun::asked_for() const {
  json asked = algorithm;
  for (const char* key : note_keys) asked.erase(key);
  if (algorithm.contains(bucket_search_key)) asked["bucket_bytes"] = "auto";
  return asked;
}

const SavedRun* SavedResult::run_named(const std::string& label) const {
  const auto found = std::ranges::find(runs, label, &SavedRun::label);
  return found == runs.end() ? nullptr : &*found;
}

SavedResult read_result(const std::filesystem::path& folder_or_file) {
  SavedResult result;
  result.file = result_file(folder_or_file);
  result.document = parse_json(read_text_file(result.file, largest_result_bytes), result.file.string());
  const json& document = result.document;
  check_is_result(document, result.file);
  naming_version(document, [&] {
    validate_against_schema(document, "result", result.file.string());
    naming_file(result.file, written_result, [&] {
      result.scenario = document.at("scenario");
      result.engine = document.at("engine");
      for (const json& run : document.at("runs")) result.runs.push_back(run_of(run));
      check_labels(result.runs, result.file);
    });
  });
  return result;
}

}  // namespace starling
