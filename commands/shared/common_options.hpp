#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/files/trace_json.hpp"
#include "commands/shared/command.hpp"
#include "io/terminal/progress_line.hpp"

namespace starling {

/// `others` says in the help what else the file may hold: "or a study, ".
void add_scenario(Command& command, std::filesystem::path& scenario,
                  const std::string& word = "SCENARIO.json", std::string_view others = "");
void add_out(Command& command, std::optional<std::filesystem::path>& folder, const std::string& description);
/// `owner` says in the help whose values are changed: "scenario".
void add_overrides(Command& command, std::vector<std::string>& overrides, const std::string& owner);
void add_engine(Command& command, std::optional<std::string>& engine, std::string_view what,
                std::string_view otherwise);
void add_trace(Command& command, bool& is_traced);
void add_quiet(Command& command, bool& is_quiet);

/// Returns the overrides, followed by that of --engine, `/engine="simgrid"`, if it is given. @throws
/// UsageError for an unknown engine.
std::vector<std::string> with_engine(std::vector<std::string> overrides,
                                     const std::optional<std::string>& engine);

/// @throws UsageError if a timeline is asked for without a folder to write it to.
void check_trace_has_folder(bool is_traced, bool has_folder);
/// Warns if a run's timeline is not complete.
void report_cut_off(const TraceJson& trace, const std::string& label);

/// If mpirun has started several processes, warns in the first of them that each does the whole work.
/// `command` is the command that they execute: "run".
void warn_of_other_processes(std::string_view command);

/// A progress line on stderr, if that is a terminal and not --quiet.
ProgressLine progress_on_terminal(bool is_quiet);
/// The same for a process of an MPI job: its stderr is a pipe to mpirun, which may have a terminal.
ProgressLine progress_of_job(bool is_quiet);

/// Texts for Interruption: what is kept before any result is finished, and after.
std::string nothing_kept(bool has_folder);
std::string finished_is_in(const std::filesystem::path& file);

/// Says where the results are, unless quiet.
void report_written(const std::filesystem::path& path, bool is_quiet);

}  // namespace starling
