#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/io/scratch_folder.hpp"

namespace starling {

/// The exit code and outputs of a run of the built program.
struct ProgramRun {
  int exit_code = -1;  // 128 + n if signal n killed it
  std::string out;
  std::string error;
};

/// Runs `starling ARGUMENTS` in `folder` by a shell, after the shell command `before`. The arguments may have
/// redirections.
inline ProgramRun run_program(const std::filesystem::path& folder, const std::string& arguments,
                              const std::string& before = ":") {
  const ScratchFolder output;
  const std::string command = "cd '" + folder.string() + "' && { " + before + " && '" STARLING_PROGRAM "' " +
                              arguments + "; } > '" + (output.path() / "out").string() + "' 2> '" +
                              (output.path() / "error").string() + "'";
  const int status = std::system(command.c_str());
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = contents_of(output.path() / "out"),
          .error = contents_of(output.path() / "error")};
}

}  // namespace starling
