#include "commands/shared/interruption.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "io/processes/child_process.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

/// Forks a process that runs `body` and then raises `signal`. Returns its stderr and the signal that ended
/// it, or 0.
template <typename Body>
std::pair<std::string, int> interrupted(int signal, Body body) {
  const ScratchFolder folder;
  const std::filesystem::path said = folder.path() / "stderr";
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen(said.c_str(), "w", stderr) == nullptr) ::_exit(1);
    ::signal(signal, SIG_DFL);
    body();
    ::raise(signal);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {contents_of(said), WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

TEST_CASE("An interrupted process prints what is kept, and is ended by the signal") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto [said, ended_by] = interrupted(signal, [] {
      static Interruption interruption("nothing");
      interruption.keeps("finished results are in a\x1b");
    });
    CHECK(said == "starling: interrupted; finished results are in a\\x1b\n");
    CHECK(ended_by == signal);
  }
}

TEST_CASE("After the work is done an interrupt prints nothing") {
  const auto [said, ended_by] = interrupted(SIGTERM, [] { const Interruption interruption("nothing"); });
  CHECK(said == "");
  CHECK(ended_by == SIGTERM);
}

TEST_CASE("A process that ignores interrupts goes on ignoring them") {
  const auto [said, ended_by] = interrupted(SIGINT, [] {
    ::signal(SIGINT, SIG_IGN);
    static const Interruption interruption("nothing");
  });
  CHECK(said == "");
  CHECK(ended_by == 0);
}

TEST_CASE("An interrupt is passed to the child, and is reported only when the child has ended") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const ScratchFolder folder;
    const std::string ready = folder.path() / "ready";
    const std::string ended = folder.path() / "ended";
    const std::string said = folder.path() / "stderr";
    REQUIRE(::mkfifo(ready.c_str(), 0600) == 0);
    const pid_t process = ::fork();
    if (process == 0) {
      if (std::freopen(said.c_str(), "w", stderr) == nullptr) ::_exit(1);
      ::signal(signal, SIG_DFL);
      static const Interruption interruption("nothing");
      run_child_that_ends_first(
          {"sh", "-c",
           "trap 'cat " + said + " > " + ended + "; echo ended >> " + ended + "; exit 0' INT TERM HUP\n" +
               "echo > " + ready + "\nwhile :; do sleep 0.01; done"},
          {.log = folder.path() / "log"});
      ::_exit(0);
    }
    contents_of(ready);  // waits until the child is ready
    ::kill(process, signal);
    int status = 0;
    ::waitpid(process, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(contents_of(ended) == "ended\n");  // stderr was empty when the child ended
    CHECK(contents_of(said) == "starling: interrupted; nothing\n");
  }
}

TEST_CASE("A child ends when its parent is killed") {
  const ScratchFolder folder;
  const std::string ready = folder.path() / "ready";
  const std::string ended = folder.path() / "ended";
  REQUIRE(::mkfifo(ready.c_str(), 0600) == 0);
  REQUIRE(::mkfifo(ended.c_str(), 0600) == 0);
  const pid_t process = ::fork();
  if (process == 0) {
    run_child_that_ends_first({"sh", "-c",
                               "trap 'echo ended > " + ended + "; exit 0' TERM\necho > " + ready +
                                   "\nfor i in $(seq 1000); do sleep 0.01; done\necho alive > " + ended},
                              {.log = folder.path() / "log"});
    ::_exit(0);
  }
  contents_of(ready);  // waits until the child is ready
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  CHECK(contents_of(ended) == "ended\n");
}

TEST_CASE(
    "A program that cannot be started is an error, and a started one has its files and working directory") {
  const ScratchFolder folder;
  const ChildFiles files{.log = folder.path() / "log",
                         .out = folder.path() / "out",
                         .input = folder.path() / "in",
                         .working_directory = folder.path()};
  CHECK_THROWS_WITH_AS(run_child({"sh"}, files), "cannot start sh: No such file or directory",
                       std::system_error);
  write_file(folder.path() / "in", "input");
  CHECK_THROWS_WITH_AS(run_child({"no-such-program"}, files),
                       "cannot start no-such-program: No such file or directory", std::system_error);
  const int status = run_child({"sh", "-c", "cat; pwd; echo said >&2; kill -PIPE $$"}, files);
  CHECK(WIFSIGNALED(status));
  CHECK(contents_of(folder.path() / "out") == "input" + folder.path().string() + "\n");
  CHECK(contents_of(folder.path() / "log") == "said\n");
}

}  // namespace
}  // namespace starling
