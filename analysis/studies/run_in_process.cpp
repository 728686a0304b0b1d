#include "analysis/studies/run_in_process.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "io/json_text.hpp"
#include "io/output_file.hpp"
#include "io/processes/child_process.hpp"

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

/// What the program said before it ended with this status of wait().
std::string reason_in(std::string log, int status) {
  constexpr std::string_view name = "starling: ";
  if (log.starts_with(name)) log.erase(0, name.size());
  log.erase(log.find_last_not_of(" \n") + 1);
  if (!log.empty()) return log;
  if (WIFSIGNALED(status))
    return fmt::format("the process that ran it was ended by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("the process that ran it said nothing, and ended with {}", WEXITSTATUS(status));
}

}  // namespace

nlohmann::json simulate_in_process(const ScenarioDocument& document, const std::string& name) {
  const ScratchDirectory scratch;
  nlohmann::json named = document.json;
  named["name"] = name;
  write_atomically(scratch.path() / "scenario.json", named.dump());
  const std::filesystem::path folder = scratch.path() / "out";
  const std::filesystem::path log = scratch.path() / "log";
  const int status = run_child({this_program(), "run", "-", "--quiet", "--out", folder.string()},
                               {.log = log,
                                .input = scratch.path() / "scenario.json",
                                .working_directory = std::filesystem::absolute(document.file).parent_path()});
  if (status != 0) throw std::runtime_error(reason_in(read_text_file(log), status));
  return parse_json(read_text_file(folder / "result.json"), (folder / "result.json").string());
}

}  // namespace starling
