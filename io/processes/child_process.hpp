#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace starling {

/// The files and the working directory of a child process.
struct ChildFiles {
  std::filesystem::path log;  // receives stderr, and stdout if `out` is empty
  std::filesystem::path out = {};
  std::filesystem::path input = "/dev/null";      // stdin
  std::filesystem::path working_directory = ".";  // where it starts
};

/// Runs a program, found by PATH, and waits for its end. Returns its status as wait() does. If this process
/// is killed, the kernel sends SIGTERM to the program. @throws std::system_error if it cannot be started.
int run_child(const std::vector<std::string>& words, const ChildFiles& files);

/// The same, in a process group of its own, for a program that must end before this process if that is
/// interrupted: end_child_first() then ends it. Only one may run at a time.
int run_child_that_ends_first(const std::vector<std::string>& words, const ChildFiles& files);

/// The words to put before a command so that `timeout` limits its run time to most_s seconds, but at least a
/// millisecond, as `timeout` takes 0 for no limit. After that it gets SIGTERM, and ten seconds later SIGKILL.
/// Interrupts go to the program alone.
std::vector<std::string> time_limit_words(double most_s);

/// Forwards the signal that is about to end this process to the program started by
/// run_child_that_ends_first(), if any, and waits until it has ended; after 15 s, its process group is
/// killed. Async-signal-safe, on any thread. The process must end afterwards.
void end_child_first(int signal);

}  // namespace starling
