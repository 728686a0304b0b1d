#pragma once

#include "commands/running/run_arguments.hpp"
#include "commands/shared/command.hpp"

namespace starling {

void add_run(CommandLine& line);

/// Simulates a scenario, prints the table and writes the files. Progress and warnings go to stderr.
/// @throws ScenarioError, UsageError for bad input; DeadlockError, CommunicationError if a run cannot go on;
/// std::system_error if a file cannot be written.
void run_command(const RunArguments& arguments);

}  // namespace starling
