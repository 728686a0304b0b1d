#include "analysis/studies/run_in_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "io/json_text.hpp"
#include "io/output_file.hpp"

namespace starling {
namespace {

/// A folder that goes with its owner.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "starling-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make a folder " + name);
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs this program in a folder, stdin from one file, stdout and stderr to another. Returns what wait()
/// says.
int run_this_program(const std::vector<std::string>& words, const std::filesystem::path& working_directory,
                     const std::filesystem::path& input, const std::filesystem::path& log) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<char*> arguments{const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&files, working_directory.c_str());
  pid_t process = 0;
  const int problem = ::posix_spawn(&process, program.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) throw std::system_error(problem, std::generic_category(), "cannot start " + program);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "cannot wait for " + program);
  return status;
}

}  // namespace

nlohmann::json simulate_in_process(const ScenarioDocument& document, const std::string& name) {
  const ScratchDirectory scratch;
  nlohmann::json named = document.json;
  named["name"] = name;
  write_atomically(scratch.path() / "scenario.json", named.dump());
  const std::filesystem::path folder = scratch.path() / "out";
  const std::filesystem::path log = scratch.path() / "log";
  const int status = run_this_program({"run", "-", "--quiet", "--out", folder.string()},
                                      std::filesystem::absolute(document.file).parent_path(),
                                      scratch.path() / "scenario.json", log);
  if (status != 0) throw std::runtime_error(read_text_file(log));
  return parse_json(read_text_file(folder / "result.json"), (folder / "result.json").string());
}

}  // namespace starling
