#include "io/processes/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>
#include <utility>

#include "io/processes/blocked_signals.hpp"

namespace starling {

namespace {

constexpr pid_t none = 0;
constexpr pid_t starting = -1;

std::atomic<pid_t> ends_first = none;
std::atomic<bool> is_ending = false;
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

sigset_t all_signals() {
  sigset_t signals{};
  sigfillset(&signals);
  return signals;
}

/// What a child needs between fork and exec, when it may call async-signal-safe functions only.
struct Start {
  const ChildFiles& files;
  std::vector<char*> words;
  bool has_own_group;
  const sigset_t& signals;  // the signal mask of the program
  pid_t parent;
};

/// Opens a file with the given descriptor number. False, with errno, if that fails.
bool opens_as(int number, const std::filesystem::path& file, int flags) {
  constexpr mode_t permissions = 0644;
  const int opened = ::open(file.c_str(), flags, permissions);
  if (opened < 0 || opened == number) return opened >= 0;
  const bool is_done = ::dup2(opened, number) >= 0;
  ::close(opened);
  return is_done;
}

bool opens_files(const ChildFiles& files) {
  constexpr int to_write = O_WRONLY | O_CREAT | O_TRUNC;
  const auto opens_out = [&] {
    return files.out.empty() ? ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0
                             : opens_as(STDOUT_FILENO, files.out, to_write);
  };
  return opens_as(STDIN_FILENO, files.input, O_RDONLY) && opens_as(STDERR_FILENO, files.log, to_write) &&
         opens_out() && ::chdir(files.working_directory.c_str()) == 0;
}

/// Resets signal handlers in the child to their defaults.
void forget_handlers() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_DFL) continue;
    const bool is_ignored_here = signal == SIGPIPE || signal == SIGXFSZ;  // set by program.cpp
    if (action.sa_handler != SIG_IGN || is_ignored_here) ::signal(signal, SIG_DFL);
  }
}

/// In the child: executes the program, which gets SIGTERM if its parent dies. Returns, with errno, only if
/// that fails.
void become(const Start& start) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != start.parent) ::_exit(1);  // the parent has died already
  if (start.has_own_group) ::setpgid(0, 0);
  if (!opens_files(start.files)) return;
  forget_handlers();
  pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
  ::execvp(start.words.front(), start.words.data());
}

/// Forks. If the child cannot execute the program, it reports errno through a pipe, which closes on exec.
class Fork {
 public:
  explicit Fork(const Start& start) {
    if (::pipe2(ends_, O_CLOEXEC) != 0) {
      problem_ = errno;
      return;
    }
    process_ = ::fork();
    if (process_ < 0) problem_ = errno;
    if (process_ == 0) {
      become(start);
      const int problem = errno;
      const bool is_told = ::write(ends_[1], &problem, sizeof problem) == sizeof problem;
      ::_exit(is_told ? 127 : 1);
    }
    ::close(ends_[1]);
  }
  void await_start() {
    if (process_ <= 0) return;
    ssize_t read = -1;
    int problem = 0;
    do read = ::read(ends_[0], &problem, sizeof problem);
    while (read < 0 && errno == EINTR);
    if (read == sizeof problem) problem_ = problem;
    if (problem_ != 0) ::waitpid(process_, nullptr, 0);
  }
  ~Fork() { ::close(ends_[0]); }
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

  int problem() const { return problem_; }
  pid_t process() const { return process_; }

 private:
  int ends_[2] = {-1, -1};
  int problem_ = 0;
  pid_t process_ = -1;
};

/// Starts a program; with `signals`, in a process group of its own and with that signal mask.
pid_t start(const std::vector<std::string>& words, const ChildFiles& files,
            const sigset_t* signals = nullptr) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const BlockedSignals until_it_has_begun(all_signals());
  Fork fork({.files = files,
             .words = std::move(arguments),
             .has_own_group = signals != nullptr,
             .signals = signals != nullptr ? *signals : until_it_has_begun.before(),
             .parent = ::getpid()});
  fork.await_start();
  if (fork.problem() != 0)
    throw std::system_error(fork.problem(), std::generic_category(), "cannot start " + words[0]);
  return fork.process();
}

/// Waits for a child and returns its status; nothing, with errno, if there is no such child.
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

/// Stops this thread if another one is handling a signal that ends the process.
void wait_if_ending() {
  while (is_ending) ::pause();
}

/// Waits until the condition is true, for a limited time. Async-signal-safe if the condition is.
template <typename Condition>
bool comes_true_within(int milliseconds, Condition condition) {
  constexpr int step = 10;
  for (int waited = 0; waited < milliseconds; waited += step) {
    if (condition()) return true;
    ::poll(nullptr, 0, step);
  }
  return condition();
}

/// Whether a child has ended, even if the thread that started it has reaped it.
bool has_ended(pid_t process) {
  const pid_t found = ::waitpid(process, nullptr, WNOHANG);
  return found == process || (found < 0 && errno == ECHILD);
}

}  // namespace

int run_child(const std::vector<std::string>& words, const ChildFiles& files) {
  return status_or_error(status_at_end(start(words, files)), words[0]);
}

std::vector<std::string> time_limit_words(double most_s) {
  constexpr double shortest_s = 1e-3;
  return {"timeout", "--foreground", "--kill-after=10", fmt::format("{:.3f}", std::max(most_s, shortest_s))};
}

int run_child_that_ends_first(const std::vector<std::string>& words, const ChildFiles& files) {
  {
    const BlockedSignals between_start_and_note(interrupts());
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
  constexpr int patience_ms = 15000;  // more than the 10 s after which `timeout` kills
  constexpr int longest_kill_ms = 1000;
  ::kill(process, signal);
  if (comes_true_within(patience_ms, [&] { return has_ended(process); })) return;
  ::kill(-process, SIGKILL);
  comes_true_within(longest_kill_ms, [&] { return has_ended(process); });
}

}  // namespace starling
