#include "analysis/studies/run_in_process.hpp"

#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "base/module.hpp"
#include "io/json_text.hpp"
#include "io/processes/child_process.hpp"

namespace starling {
namespace {

/// A file in memory, which goes with the last process that has it open, however that ends.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a file in memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// By which this process opens it, and a child that it starts before that runs another program.
  std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "cannot write to memory");
      text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
  }

 private:
  int descriptor_;
};

/// Without the lines that warn.
std::string errors_in(std::string_view log) {
  std::string errors;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    if (!line.starts_with("starling: warning: ")) errors += fmt::format("{}\n", line);
    log.remove_prefix(std::min(line.size() + 1, log.size()));
  }
  return errors;
}

/// What the program said before it ended with this status of wait().
std::string reason_in(std::string log, int status) {
  constexpr std::string_view name = "starling: ";
  log = errors_in(log);
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
  nlohmann::json named = document.json;
  named["name"] = name;
  const std::filesystem::path folder = document.folder.empty()
                                           ? std::filesystem::absolute(document.file).parent_path()
                                           : std::filesystem::absolute(document.folder);
  const MemoryFile scenario("scenario.json");
  const MemoryFile result("result.json");
  const MemoryFile log("log");
  scenario.write(named.dump());
  const int status = run_child(
      {this_program().string(), "run", "-", "--quiet", "--print-result"},
      {.log = log.path(), .out = result.path(), .input = scenario.path(), .working_directory = folder});
  if (status != 0) throw std::runtime_error(reason_in(read_text_file(log.path()), status));
  return parse_json(read_text_file(result.path()), "result.json");
}

}  // namespace starling
