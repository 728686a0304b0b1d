#pragma once

#include <string>
#include <vector>

namespace starling {

/// The exit code of a child that could not execute its program, as in a shell.
inline constexpr int cannot_run = 127;

/// The words in the form that execvp() takes; valid as long as `command` is.
std::vector<char*> argument_pointers(const std::vector<std::string>& command);

/// Runs a system program with the text as its standard input and waits for it. @throws std::runtime_error
/// with its output if it fails, or with the name of its Debian package if it cannot be run.
void run_tool(const std::vector<std::string>& command, const std::string& input, const std::string& package);

}  // namespace starling
