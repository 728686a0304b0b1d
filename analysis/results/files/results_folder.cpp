#include "analysis/results/files/results_folder.hpp"

#include <fmt/format.h>

#include <array>
#include <system_error>
#include <utility>

#include "analysis/results/files/result_json.hpp"
#include "io/json/json_text.hpp"
#include "io/output_file.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

constexpr const char* result_name = "result.json";
constexpr const char* iterations_name = "iterations.csv";
constexpr const char* learning_name = "learning.csv";
constexpr const char* trace_name = "trace.json";
// The result is last, and so removed last: as long as it exists, it proves that the other files are ours.
constexpr std::array file_names{iterations_name, learning_name, trace_name, result_name};
// Files that other commands and options derive from a result.
constexpr std::array derived_names{"sensitivity.json", "model.json", "report.html"};

bool is_there(const std::filesystem::path& file) {
  return std::filesystem::exists(std::filesystem::symlink_status(file));
}

}  // namespace

ResultsFolder::ResultsFolder(std::filesystem::path folder, ResultsKind kind)
    : folder_(std::move(folder)), kind_(std::move(kind)) {
  try {
    is_new_ = std::filesystem::create_directories(folder_);
    lock_.emplace(folder_);
    remove_abandoned_files(folder_);
    refuse_results_of_others(folder_, {"result.json"});
    if (!has_finished_result()) {
      refuse_foreign_files();
      remove_leftovers();
    } else if (!kind_.may_replace) {
      refuse_finished_result("a finished result is here already");
    } else if (has_measured_result()) {
      refuse_finished_result("a measurement is here already, and measurements are never replaced");
    }
    for (const char* name : file_names) std::filesystem::remove(partial(name));
    iterations_.emplace(partial(iterations_name), kind_.is_measured);
  } catch (const std::system_error& error) {
    throw ScenarioError(
        {.file = "--out",
         .place = "",
         .problem = fmt::format("nothing can be written to this folder ({})", error.code().message()),
         .got = folder_.string(),
         .expected = "a folder that you may write to, or a path where one can be made"});
  }
}

std::filesystem::path ResultsFolder::result_path() const { return folder_ / result_name; }

std::filesystem::path ResultsFolder::partial_result_path() const { return partial(result_name); }

ResultsFolder::~ResultsFolder() {
  if (is_finishing_) return;
  try {
    if (trace_) trace_->close();
    if (has_results_) return;
    std::filesystem::remove(partial(iterations_name));
    if (trace_ && trace_->is_empty()) std::filesystem::remove(partial(trace_name));
    if (is_new_ && std::filesystem::is_empty(folder_)) std::filesystem::remove(folder_);
  } catch (const std::system_error&) {
    // The error that made the run fail matters more.
  }
}

TraceJson& ResultsFolder::add_trace(int runs, const TraceSelection& selection) {
  return trace_.emplace(partial(trace_name), runs, selection, kind_.scenario_hash);
}

void ResultsFolder::save(const Result& result, const IterationLog& log, std::int64_t warmup_iterations) {
  save_iterations(result.runs.back(), log, warmup_iterations);
  save_result(result);
}

void ResultsFolder::save_iterations(const RunResult& run, const IterationLog& log,
                                    std::int64_t warmup_iterations) {
  iterations_->add_run(run.label, log, warmup_iterations);
  if (!run.learning) return;
  if (!learning_) learning_.emplace(partial(learning_name));
  learning_->add_run(run.label, *run.learning);
}

void ResultsFolder::save_result(const Result& result) {
  write_atomically(partial(result_name), text_of(result));
  has_results_ = true;
}

void ResultsFolder::save(const Result& result, const JobResult& job, const IterationLog& log) {
  const auto all = static_cast<std::int64_t>(iterations_of(log));
  iterations_->add_run(job.run.label, log, all - job.run.iterations);
  save_result(result);
}

void ResultsFolder::finish(const Result& result) {
  is_finishing_ = true;
  write_atomically(partial(result_name), text_of(result));
  iterations_->close();
  if (learning_) learning_->close();
  if (trace_) trace_->close();

  if (kind_.may_replace && has_finished_result()) remove_finished_result();
  complete(iterations_name);
  if (learning_) complete(learning_name);
  if (trace_) complete(trace_name);
  complete(result_name);
}

void ResultsFolder::complete(const char* name) const {
  rename_without_replacing(partial(name), folder_ / name);
}

/// The text of result.json. The path of the scenario's folder depends on this folder, so it is no part of
/// what follows from scenario and seed.
std::string ResultsFolder::text_of(const Result& result) const {
  if (kind_.scenario_folder.empty()) return result_json_text(result, kind_.scenario_hash);
  const std::filesystem::path seen = std::filesystem::proximate(kind_.scenario_folder, folder_);
  return result_json_text(result, kind_.scenario_hash, seen.lexically_normal().generic_string());
}

std::filesystem::path ResultsFolder::partial(const char* name) const {
  std::filesystem::path path = folder_ / name;
  path.replace_extension(".partial" + path.extension().string());
  return path;
}

bool ResultsFolder::has_finished_result() const { return is_there(result_path()); }

bool ResultsFolder::has_measured_result() const {
  const nlohmann::json result =
      nlohmann::json::parse(read_text_file(result_path(), largest_result_bytes), nullptr, false);
  return result.is_object() && value_at(result, "/engine") == measured_engine;
}

void ResultsFolder::refuse_finished_result(const char* problem) const {
  const char* const remedy = kind_.is_measured || kind_.may_replace
                                 ? "another folder, or this one after you have moved its files away"
                                 : "another folder, --resume to leave it as it is, or --force to replace it";
  throw ScenarioError(
      {.file = "--out", .place = "", .problem = problem, .got = result_path().string(), .expected = remedy});
}

/// Removes the result first: without it no reader takes the other files for complete ones.
void ResultsFolder::remove_finished_result() const {
  std::filesystem::remove(result_path());
  for (const char* name : file_names) std::filesystem::remove(folder_ / name);
  for (const char* name : derived_names) std::filesystem::remove(folder_ / name);
}

/// Refuses files of these names, unless a run left them that was killed while its files got their names: its
/// result still has its partial name.
void ResultsFolder::refuse_foreign_files() const {
  if (is_there(partial_result_path())) return;
  for (const char* name : file_names)
    if (is_there(folder_ / name))
      throw ScenarioError(
          {.file = "--out",
           .place = "",
           .problem = "a file of this name exists already, and was not left by an unfinished run",
           .got = (folder_ / name).string(),
           .expected = "another folder, or this one after you have moved its files away"});
}

/// Removes the files of an unfinished run; files derived from a result only if there was such a run.
void ResultsFolder::remove_leftovers() const {
  if (is_there(partial_result_path()))
    for (const char* name : derived_names) std::filesystem::remove(folder_ / name);
  for (const char* name : file_names) std::filesystem::remove(folder_ / name);
}

}  // namespace starling
