#include "commands/shared/common_options.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/texts/near_key.hpp"
#include "base/texts/number_in.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/text_table.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {
namespace {

/// Whether the stderr of the parent process is a terminal: of mpirun, which copies the output of this process
/// from a pipe to its own stderr.
bool shows_parent_on_terminal() {
  const std::string errors = fmt::format("/proc/{}/fd/{}", ::getppid(), STDERR_FILENO);
  const int file = ::open(errors.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_terminal = ::isatty(file) == 1;
  ::close(file);
  return is_terminal;
}

/// The value of an environment variable, if it is a number.
std::optional<int> number_in_environment(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : number_in<int>(text);
}

struct StartedProcesses {
  int count = 1;
  int rank = 0;
};

/// The processes that mpirun has started, according to Open MPI, or to MPICH and its derivatives.
StartedProcesses started_processes() {
  if (const auto count = number_in_environment("OMPI_COMM_WORLD_SIZE"))
    return {*count, number_in_environment("OMPI_COMM_WORLD_RANK").value_or(0)};
  return {number_in_environment("PMI_SIZE").value_or(1), number_in_environment("PMI_RANK").value_or(0)};
}

}  // namespace

void add_scenario(Command& command, std::filesystem::path& scenario, const std::string& word,
                  std::string_view others) {
  command.add_required_word(
      word, &scenario,
      fmt::format("The scenario file, or a result.json that holds it, {}or - for stdin", others));
}

void add_out(Command& command, std::optional<std::filesystem::path>& folder, const std::string& description) {
  command.add_option("--out", "DIR", &folder, description);
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
  if (std::ranges::find(engines, *engine) == engines.end())
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
  const bool is_too_late = trace.cut_off_s() > TraceJson::latest_s;
  if (is_too_late || trace.messages_cut_off_s() > TraceJson::latest_s)
    warn(fmt::format("the timeline of {} stops at {}, the latest that viewers can show", label,
                     time_text(TraceJson::latest_s)));
  else if (trace.messages_cut_off_s())
    warn(
        fmt::format("messages in the timeline of {} stop at {} after {}, more than viewers can show; "
                    "--trace-iterations and --trace-workers choose which to show",
                    label, time_text(*trace.messages_cut_off_s()), trace.max_messages_per_run()));
  if (!trace.cut_off_s() || is_too_late) return;
  warn(
      fmt::format("the timeline of {} stops at {} after {} spans, more than viewers can show; simulate fewer "
                  "iterations or workers to see all of it",
                  label, time_text(*trace.cut_off_s()), trace.max_spans_per_run()));
}

void warn_of_other_processes(std::string_view command) {
  const StartedProcesses processes = started_processes();
  if (processes.count < 2 || processes.rank != 0) return;
  warn(
      fmt::format("{} processes were started, by mpirun or srun, and {} does all of its work in each of "
                  "them; start it once, without mpirun; starling native measures a scenario on all of them",
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
  return fmt::format("finished results are in {}", file.string());
}

void report_written(const std::filesystem::path& path, bool is_quiet) {
  if (!is_quiet) print_error(fmt::format("\nWritten to {}\n", path.string()));
}

}  // namespace starling
