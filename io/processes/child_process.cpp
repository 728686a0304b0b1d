#include "io/processes/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

namespace starling {

namespace {

constexpr pid_t none = 0;
constexpr pid_t starting = -1;

std::atomic<pid_t> ends_first = none;
std::atomic<bool> is_ending = false;
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// Interrupts stay away from this thread, and only from it.
class NoInterrupts {
 public:
  NoInterrupts() {
    sigset_t interrupts{};
    sigemptyset(&interrupts);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&interrupts, signal);
    pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
  }
  ~NoInterrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoInterrupts(const NoInterrupts&) = delete;
  NoInterrupts& operator=(const NoInterrupts&) = delete;

  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

/// With `signals`, in a process group of its own, with that signal mask.
pid_t start(const std::vector<std::string>& words, const ChildFiles& files,
            const sigset_t* signals = nullptr) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, files.input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, files.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0644);
  if (files.out.empty())
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, files.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0644);
  posix_spawn_file_actions_addchdir_np(&actions, files.working_directory.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t ignored_here{};
  sigemptyset(&ignored_here);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&ignored_here, signal);
  posix_spawnattr_setsigdefault(&attributes, &ignored_here);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  if (signals != nullptr) {
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, signals);
  }
  pid_t process = 0;
  const int problem =
      ::posix_spawnp(&process, words[0].c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) throw std::system_error(problem, std::generic_category(), "cannot start " + words[0]);
  return process;
}

/// Nothing, with errno, if there is no such child.
std::optional<int> status_at_end(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return std::nullopt;
  return status;
}

int status_or_error(std::optional<int> status, const std::string& name) {
  if (!status) throw std::system_error(errno, std::generic_category(), "cannot wait for " + name);
  return *status;
}

/// Where another thread handles the signal that ends this process, nothing more is to be begun.
void wait_if_ending() {
  while (is_ending) ::pause();
}

/// Calls only what a signal handler may.
template <typename Condition>
bool comes_true_within(int milliseconds, Condition condition) {
  constexpr int step = 10;
  for (int waited = 0; waited < milliseconds; waited += step) {
    if (condition()) return true;
    ::poll(nullptr, 0, step);
  }
  return condition();
}

/// Also where the thread that started it has noticed first.
bool has_ended(pid_t process) {
  const pid_t found = ::waitpid(process, nullptr, WNOHANG);
  return found == process || (found < 0 && errno == ECHILD);
}

}  // namespace

int run_child(const std::vector<std::string>& words, const ChildFiles& files) {
  return status_or_error(status_at_end(start(words, files)), words[0]);
}

int run_child_that_ends_first(const std::vector<std::string>& words, const ChildFiles& files) {
  {
    const NoInterrupts between_start_and_note;
    ends_first = starting;
    if (is_ending) ends_first = none;
    wait_if_ending();
    try {
      ends_first = start(words, files, &between_start_and_note.before());
    } catch (...) {
      ends_first = none;
      throw;
    }
  }
  const std::optional<int> status = status_at_end(ends_first);
  ends_first = none;
  wait_if_ending();
  return status_or_error(status, words[0]);
}

void end_child_first(int signal) {
  is_ending = true;
  constexpr int longest_start_ms = 1000;
  comes_true_within(longest_start_ms, [] { return ends_first != starting; });
  const pid_t process = ends_first;
  if (process == none || process == starting) return;
  constexpr int patience_ms = 15000;  // `timeout` of a study kills what it runs after 10 s
  constexpr int longest_kill_ms = 1000;
  ::kill(process, signal);
  if (comes_true_within(patience_ms, [&] { return has_ended(process); })) return;
  ::kill(-process, SIGKILL);
  comes_true_within(longest_kill_ms, [&] { return has_ended(process); });
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace starling
