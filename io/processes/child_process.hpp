#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace starling {

/// The files of a child process.
struct ChildFiles {
  std::filesystem::path log;  // takes stderr, and stdout unless there is `out`
  std::filesystem::path out = {};
  std::filesystem::path input = "/dev/null";      // stdin
  std::filesystem::path working_directory = ".";  // where it starts
};

/// Runs a program, which PATH leads to, until its end. Returns what wait() says of it. If this process is
/// killed, so that it can end nothing itself, the program gets SIGTERM. @throws std::system_error if it
/// cannot be started.
int run_child(const std::vector<std::string>& words, const ChildFiles& files);

/// The same, in a process group of its own, for what must not outlive this process where that is interrupted:
/// end_child_first() ends it. One at a time.
int run_child_that_ends_first(const std::vector<std::string>& words, const ChildFiles& files);

/// The words before those of a program that let it run so long, and a millisecond at least, as `timeout`
/// takes 0 for no limit; then it gets SIGTERM, and ten seconds later SIGKILL. Interrupts go to the program
/// alone.
std::vector<std::string> time_limit_words(double most_s);

/// Passes the signal that is about to end this process on to what runs by run_child_that_ends_first(), if
/// anything does, and waits until that has ended; what takes longer than 15 s is killed with its process
/// group. Calls only what a signal handler may, on any thread; the process has to end afterwards.
void end_child_first(int signal);

}  // namespace starling
