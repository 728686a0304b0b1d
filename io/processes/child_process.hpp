#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace starling {

/// The files of a child process.
struct ChildFiles {
  std::filesystem::path log;                      // takes stdout and stderr
  std::filesystem::path input = "/dev/null";      // stdin
  std::filesystem::path working_directory = ".";  // where it starts
};

/// Runs a program, which PATH leads to, until its end. Returns what wait() says of it. @throws
/// std::system_error if it cannot be started.
int run_child(const std::vector<std::string>& words, const ChildFiles& files);

/// The path of the program that runs.
std::string this_program();

}  // namespace starling
