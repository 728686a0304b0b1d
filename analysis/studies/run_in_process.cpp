#include "analysis/studies/run_in_process.hpp"

#include <fmt/format.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "io/json/json_text.hpp"
#include "io/processes/child_process.hpp"
#include "io/processes/memory_file.hpp"

namespace starling {
namespace {

/// The lines of a log that are not warnings.
std::string errors_in(std::string_view log) {
  std::string errors;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    if (!line.starts_with("starling: warning: ")) errors += fmt::format("{}\n", line);
    log.remove_prefix(std::min(line.size() + 1, log.size()));
  }
  return errors;
}

/// Why the child failed: the errors in its log, or, if there are none, its exit status or signal. `status` is
/// that of wait().
std::string reason_in(std::string log, int status) {
  constexpr std::string_view name = "starling: ";
  log = errors_in(log);
  if (log.starts_with(name)) log.erase(0, name.size());
  log.erase(log.find_last_not_of(" \n") + 1);
  if (!log.empty()) return log;
  if (WIFSIGNALED(status))
    return fmt::format("the process that ran it was ended by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("the process that ran it ended with exit code {}, without an error message",
                     WEXITSTATUS(status));
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
      {"/proc/self/exe", "run", "-", "--quiet", "--print-result"},
      {.log = log.path(), .out = result.path(), .input = scenario.path(), .working_directory = folder});
  if (status != 0) throw std::runtime_error(reason_in(read_text_file(log.path()), status));
  return parse_json(read_text_file(result.path()), "result.json");
}

nlohmann::json answer_within(const nlohmann::json& task, const RunLimit& limit) {
  const MemoryFile question("task.json");
  const MemoryFile answer("answer.json");
  const MemoryFile log("log");
  question.write(task.dump());
  constexpr double resolution_s = 1e-3;  // added, so that the limit has passed when the child is ended
  std::vector<std::string> words = time_limit_words(limit.most_s + resolution_s);
  words.insert(words.end(),
               // Not /proc/self/exe: that is the program `timeout` where these words are executed.
               {fmt::format("/proc/{}/exe", ::getpid()), limited_run_command});
  const auto start = std::chrono::steady_clock::now();
  const int status = run_child(words, {.log = log.path(), .out = answer.path(), .input = question.path()});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (status != 0 && taken.count() > limit.most_s)
    throw std::runtime_error("exceeded --run-limit " + limit.text);
  if (status != 0) throw std::runtime_error(reason_in(read_text_file(log.path()), status));
  return parse_json(read_text_file(answer.path()), "answer.json");
}

}  // namespace starling
