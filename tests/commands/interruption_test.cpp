#include "commands/shared/interruption.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "tests/io/temporary_folder.hpp"

namespace starling {
namespace {

/// What a process says on stderr that does this and is then interrupted, and the signal that ended it.
template <typename Body>
std::pair<std::string, int> interrupted(int signal, Body body) {
  const TemporaryFolder folder;
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

TEST_CASE("An interrupt is told what is kept at last, and ends the process") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto [said, ended_by] = interrupted(signal, [] {
      static Interruption interruption("nothing");
      interruption.keeps("what was finished is in a\x1b");
    });
    CHECK(said == "starling: interrupted; what was finished is in a\\x1b\n");
    CHECK(ended_by == signal);
  }
}

TEST_CASE("When the work is over an interrupt says nothing") {
  const auto [said, ended_by] = interrupted(SIGTERM, [] { const Interruption interruption("nothing"); });
  CHECK(said == "");
  CHECK(ended_by == SIGTERM);
}

TEST_CASE("Who is told to ignore interrupts does") {
  const auto [said, ended_by] = interrupted(SIGINT, [] {
    ::signal(SIGINT, SIG_IGN);
    static const Interruption interruption("nothing");
  });
  CHECK(said == "");
  CHECK(ended_by == 0);
}

}  // namespace
}  // namespace starling
