#include "commands/shared/common_options.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "base/near_key.hpp"
#include "base/number_in.hpp"
#include "io/output_file.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal.hpp"
#include "io/text_table.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {
namespace {

/// Whether the process that started this one writes its errors to a terminal: mpirun, which passes on what
/// comes through a pipe from here.
bool shows_parent_on_terminal() {
  const std::string errors = fmt::format("/proc/{}/fd/{}", ::getppid(), STDERR_FILENO);
  const int file = ::open(errors.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_terminal = ::isatty(file) == 1;
  ::close(file);
  return is_terminal;
}

/// What the variable holds that an MPI tells its processes by, if it is a number.
std::optional<int> number_in_environment(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : number_in<int>(text);
}

struct StartedProcesses {
  int count = 1;
  int rank = 0;
};

/// By Open MPI, or by MPICH and what is made of it.
StartedProcesses started_processes() {
  if (const auto count = number_in_environment("OMPI_COMM_WORLD_SIZE"))
    return {*count, number_in_environment("OMPI_COMM_WORLD_RANK").value_or(0)};
  return {number_in_environment("PMI_SIZE").value_or(1), number_in_environment("PMI_RANK").value_or(0)};
}

[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& reason) {
  throw ScenarioError({"--out", "", fmt::format("this file cannot be written ({})", reason), file.string(),
                       "a file in a folder that you may write to"});
}

void refuse_folder_in_place_of(const std::filesystem::path& file) {
  std::error_code unknown;  // which trying to write finds out
  if (std::filesystem::is_directory(file, unknown)) refuse_file(file, "it is a folder");
}

/// What a picture of such a name has at its beginning, nothing if there is no such kind. PNG and PDF do not
/// say who has drawn them.
std::string_view mark_of_picture(const std::filesystem::path& picture) {
  const std::string kind = picture.extension().string();
  if (kind == ".svg") return "Produced by GNUPLOT";
  if (kind == ".png") return "\x89PNG";
  return kind == ".pdf" ? "%PDF-" : "";
}

/// @throws std::system_error if nothing can be written beside that file.
void try_writing_beside(const std::filesystem::path& file) {
  const OutputFile trial = OutputFile::beside(file);
  std::filesystem::remove(trial.path());
}

[[noreturn]] void refuse_folder(const std::filesystem::path& folder, const char* problem,
                                const std::error_code& error) {
  throw ScenarioError({"--out", "", fmt::format("{} ({})", problem, error.message()), folder.string(),
                       "a folder that you may write to, or a path where one can be made"});
}

}  // namespace

void add_scenario(Command& command, std::filesystem::path& scenario, const std::string& word,
                  std::string_view others) {
  command.add_required_word(
      word, &scenario, fmt::format("The scenario file, or a result.json of one, {}or - for stdin", others));
}

void add_out(Command& command, std::optional<std::filesystem::path>& folder, const std::string& description) {
  command.add_option("--out", "DIR", &folder, description);
}

void make_output_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) refuse_folder(folder, "this folder cannot be made", error);
}

std::unique_ptr<const FolderLock> lock_output_folder(const std::filesystem::path& folder) {
  make_output_folder(folder);
  outlive_reader();
  try {
    auto lock = std::make_unique<const FolderLock>(folder);
    remove_abandoned_files(folder);
    try_writing_beside(folder / "trial");
    return lock;
  } catch (const std::system_error& error) {
    refuse_folder(folder, "nothing can be written to this folder", error.code());
  }
}

void check_can_be_written(const std::filesystem::path& file) {
  refuse_folder_in_place_of(file);
  try {
    try_writing_beside(file);
  } catch (const std::system_error& error) {
    refuse_file(file, error.code().message());
  }
}

std::string beginning_of(const std::filesystem::path& path) {
  constexpr std::size_t most_bytes = 1024;
  std::ifstream file(path, std::ios::binary);
  std::string head(most_bytes, '\0');
  file.read(head.data(), most_bytes);
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

void check_place_of_picture(const std::filesystem::path& picture, const std::string& option) {
  std::error_code unknown;  // which trying to write finds out
  if (!std::filesystem::is_regular_file(picture, unknown)) return;
  const std::string head = beginning_of(picture);
  if (head.empty() || head.find(mark_of_picture(picture)) != std::string::npos) return;
  throw ScenarioError({option, "", "this file is there already, and is no such picture", picture.string(),
                       "another name, or the picture to replace"});
}

std::unique_ptr<const FolderLock> lock_output_folder(const std::optional<std::filesystem::path>& folder,
                                                     const char* file, bool is_forced) {
  if (!folder) return nullptr;
  std::unique_ptr<const FolderLock> lock = lock_output_folder(*folder);
  if (!is_forced && std::filesystem::exists(*folder / file))
    throw UsageError(fmt::format("{} has a {} already; --force replaces it", folder->string(), file));
  refuse_folder_in_place_of(*folder / file);
  return lock;
}

void add_overrides(Command& command, std::vector<std::string>& overrides, const std::string& owner) {
  command.add_option("--set", "/json/pointer=VALUE", &overrides,
                     fmt::format("Replace a value of the {}; may be given several times", owner));
}

void add_engine(Command& command, std::optional<std::string>& engine, std::string_view what,
                std::string_view otherwise) {
  command.add_option("--engine", "NAME", &engine,
                     fmt::format("{}: {} (default: {})", what, fmt::join(engine_names(), ", "), otherwise));
}

void add_trace(Command& command, bool& is_traced) {
  command.add_flag("--trace", is_traced, "Also write DIR/trace.json, a timeline for https://ui.perfetto.dev");
}

void add_quiet(Command& command, bool& is_quiet) {
  command.add_flag("--quiet", is_quiet, "No progress on stderr");
}

std::vector<std::string> with_engine(std::vector<std::string> overrides,
                                     const std::optional<std::string>& engine) {
  if (!engine) return overrides;
  const std::vector<std::string>& engines = engine_names();
  if (std::find(engines.begin(), engines.end(), *engine) == engines.end())
    throw UsageError(fmt::format("--engine: there is no engine \"{}\"{}; there are {}", *engine,
                                 suggestion(*engine, engines), fmt::join(engines, ", ")));
  overrides.push_back(fmt::format("/engine=\"{}\"", *engine));
  return overrides;
}

void check_trace_has_folder(bool is_traced, bool has_folder) {
  if (is_traced && !has_folder)
    throw UsageError("--trace needs --out DIR: the timeline is written to DIR/trace.json");
}

void report_cut_off(const TraceJson& trace, const std::string& label) {
  if (trace.messages_cut_off_s())
    warn(
        fmt::format("messages in the timeline of {} stop at {} after {}, more than viewers can show; "
                    "--trace-iterations and --trace-workers choose which to show",
                    label, time_text(*trace.messages_cut_off_s()), trace.max_messages_per_run()));
  if (!trace.cut_off_s()) return;
  warn(
      fmt::format("the timeline of {} stops at {} after {} spans, more than viewers can show; simulate fewer "
                  "iterations or workers to see all of it",
                  label, time_text(*trace.cut_off_s()), trace.max_spans_per_run()));
}

void warn_of_other_processes(std::string_view command) {
  const StartedProcesses processes = started_processes();
  if (processes.count < 2 || processes.rank != 0) return;
  warn(fmt::format(
      "{} processes were started, by mpirun or srun, and {} does all of its work in each of them; one is "
      "enough without mpirun, and starling native is what measures a scenario on all of them",
      processes.count, command));
}

ProgressLine progress_on_terminal(bool is_quiet) {
  const bool is_shown = !is_quiet && ::isatty(STDERR_FILENO) == 1;
  return ProgressLine(stderr, is_shown ? ProgressStyle::overwritten : ProgressStyle::none);
}

ProgressLine progress_of_job(bool is_quiet) {
  const bool is_shown = !is_quiet && (::isatty(STDERR_FILENO) == 1 || shows_parent_on_terminal());
  return ProgressLine(stderr, is_shown ? ProgressStyle::overwritten : ProgressStyle::none);
}

std::string nothing_kept(bool has_folder) {
  return has_folder ? "nothing was finished yet" : "without --out nothing is kept";
}

std::string finished_is_in(const std::filesystem::path& file) {
  return fmt::format("what was finished is in {}", file.string());
}

void report_written(const std::filesystem::path& path, bool is_quiet) {
  if (!is_quiet) print_error(fmt::format("\nWritten to {}\n", path.string()));
}

}  // namespace starling
