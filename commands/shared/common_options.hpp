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

/// `others`: what else may be in the file, "or a study, ".
void add_scenario(Command& command, std::filesystem::path& scenario,
                  const std::string& word = "SCENARIO.json", std::string_view others = "");
void add_out(Command& command, std::optional<std::filesystem::path>& folder, const std::string& description);
/// `owner` is what has the values: "scenario".
void add_overrides(Command& command, std::vector<std::string>& overrides, const std::string& owner);
void add_engine(Command& command, std::optional<std::string>& engine, std::string_view what,
                std::string_view otherwise);
void add_trace(Command& command, bool& is_traced);
void add_quiet(Command& command, bool& is_quiet);

/// The overrides of a scenario, and --engine as the last of them: `/engine="simgrid"`. @throws UsageError for
/// an engine that there is not.
std::vector<std::string> with_engine(std::vector<std::string> overrides,
                                     const std::optional<std::string>& engine);

/// @throws UsageError if a timeline is wanted and there is no folder to write it to.
void check_trace_has_folder(bool is_traced, bool has_folder);
/// Warns if a run's timeline is not complete.
void report_cut_off(const TraceJson& trace, const std::string& label);

/// Warns, in the first of several processes that mpirun started, that each does all the work of one.
/// `command` is what they do: "run".
void warn_of_other_processes(std::string_view command);

/// A progress line on stderr, if that is a terminal and nobody wants quiet.
ProgressLine progress_on_terminal(bool is_quiet);
/// A progress line of a process whose stderr mpirun may pass on to a terminal of its own.
ProgressLine progress_of_job(bool is_quiet);

/// What an interrupt keeps before anything is finished, and then.
std::string nothing_kept(bool has_folder);
std::string finished_is_in(const std::filesystem::path& file);

/// Says where the results are, unless quiet.
void report_written(const std::filesystem::path& path, bool is_quiet);

}  // namespace starling
