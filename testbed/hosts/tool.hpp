#pragma once

#include <string>
#include <vector>

namespace starling {

/// What a child ends with that could not become the program it should, as in a shell.
inline constexpr int cannot_run = 127;

/// The words as execvp() takes them; valid as long as they are.
std::vector<char*> argument_pointers(const std::vector<std::string>& command);

/// Runs a program of the system with that text as its input and waits for it. @throws std::runtime_error with
/// what it said on stderr if it cannot be run or fails; `package` is the Debian package that has it.
void run_tool(const std::vector<std::string>& command, const std::string& input, const std::string& package);

}  // namespace starling
