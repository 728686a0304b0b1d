#include "commands/running/resumed_run.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <vector>

#include "analysis/results/result.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario_hash.hpp"

namespace starling {
namespace {

/// Whether the folder has all files of such a run, none of them empty.
bool has_files(const Scenario& scenario, const RunArguments& arguments) {
  std::vector<const char*> names{"result.json", "iterations.csv"};
  if (scenario.learning) names.push_back("learning.csv");
  if (arguments.is_traced) names.push_back("trace.json");
  return std::ranges::all_of(names, [&](const char* name) {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(*arguments.out / name, missing);
    return !missing && bytes > 0;
  });
}

bool is_timeline_of(const TraceSelection& shown, const std::filesystem::path& file) {
  nlohmann::json chosen = other_data_of_trace(file);
  chosen.erase("scenario_hash");
  return chosen == nlohmann::json(chosen_json(shown));
}

}  // namespace

bool is_finished(const Scenario& scenario, const RunArguments& arguments, const TraceSelection& shown) {
  const std::filesystem::path file = *arguments.out / "result.json";
  if (!has_files(scenario, arguments)) return false;
  if (arguments.is_traced && !is_timeline_of(shown, *arguments.out / "trace.json")) return false;
  const nlohmann::json result = parse_json(read_text_file(file, largest_result_bytes), file.string());
  if (value_at(result, "/scenario_hash") != ScenarioHash().of(scenario) ||
      value_at(result, "/engine") == measured_engine)
    return false;
  const auto has = [&result](const char* pointer) {
    return result.contains(nlohmann::json::json_pointer(pointer));
  };
  if (arguments.watching.links && !has("/links") && !has("/runs/0/links")) return false;
  if (arguments.watching.critical_path && !has("/runs/0/critical_path") && !has("/jobs/0/critical_path"))
    return false;
  const nlohmann::json replications = value_at(result, "/runs/0/replications");
  const std::size_t seeds = replications.is_null() ? 1 : replications.size();
  return seeds == static_cast<std::size_t>(arguments.seeds);
}

void refuse_other_result(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "result.json")) return;
  throw ScenarioError({"--resume", "",
                       "the finished result in it is of another scenario, engine or version, or lacks a file "
                       "or a part that this command asks for",
                       (folder / "result.json").string(), "another folder, or --force to replace it"});
}

}  // namespace starling
