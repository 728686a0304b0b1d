#include "testbed/hosts/guest.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdlib>

#include "testbed/hosts/namespaces.hpp"
#include "testbed/hosts/tool.hpp"
#include "testbed/network/file_descriptor.hpp"

namespace starling {
namespace {

/// Measured programs take precedence over other work on the machine.
constexpr int guest_niceness = -10;

/// Blocks, during its lifetime, the signals that a process which waits for a guest must handle.
class GuestSignals {
 public:
  GuestSignals() {
    ::sigemptyset(&signals_);
    for (const int signal : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, signal);
    ::sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~GuestSignals() { unblock(); }
  GuestSignals(const GuestSignals&) = delete;
  GuestSignals& operator=(const GuestSignals&) = delete;

  void unblock() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  siginfo_t wait() const {
    siginfo_t info{};
    while (::sigwaitinfo(&signals_, &info) < 0) {
    }
    return info;
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

/// Whether a signal is to be forwarded to the guest: not those of a terminal, which interrupts all its
/// processes itself.
bool is_to_be_passed_on(const siginfo_t& info) {
  return info.si_signo != SIGCHLD && info.si_code != SI_KERNEL;
}

int wait_for_guest(pid_t guest, const GuestSignals& signals) {
  int status = 0;
  while (true) {
    if (::waitpid(guest, &status, WNOHANG) == guest) break;
    const siginfo_t info = signals.wait();
    if (is_to_be_passed_on(info)) ::kill(guest, info.si_signo);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

[[noreturn]] void execute(const std::vector<std::string>& command) {
  const std::vector<char*> arguments = argument_pointers(command);
  ::execvp(arguments.front(), arguments.data());
  throw std::system_error(errno, std::generic_category(), "cannot run " + command.front());
}

[[noreturn]] void be_guest(const TestbedDirectory& directory, const std::string& host, const Guest& guest) {
  try {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::signal(SIGPIPE, SIG_DFL);
    ::setpriority(PRIO_PROCESS, 0, guest_niceness);  // root may do this; without it, timing is only worse
    enter_network(directory.namespace_file(host));
    set_own_host_name(host);
    for (const auto& [name, value] : guest.environment) ::setenv(name.c_str(), value.c_str(), 0);
    execute(guest.command);
  } catch (const std::exception& error) {
    fmt::print(stderr, "starling: {}\n", error.what());
    ::_exit(cannot_run);
  }
}

}  // namespace

int run_guest(const TestbedDirectory& directory, const TestbedState& state, const std::string& host,
              const Guest& guest) {
  const GuestSignals signals;
  // A process cannot leave a namespace that it has joined, so a child joins them.
  const pid_t doorman = checked(::fork(), "cannot start " + guest.command.front());
  if (doorman == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    try {
      join_namespaces_of(state.init);
    } catch (const std::exception& error) {
      fmt::print(stderr, "starling: {}\n", error.what());
      ::_exit(cannot_run);
    }
    const pid_t child = ::fork();
    if (child == 0) {
      signals.unblock();
      be_guest(directory, host, guest);
    }
    ::_exit(child < 0 ? cannot_run : wait_for_guest(child, signals));
  }
  return wait_for_guest(doorman, signals);
}

void become_agent(const TestbedDirectory& directory, const std::string& host,
                  const std::string& shell_command) {
  enter_network(directory.namespace_file(host));
  set_own_host_name(host);
  execute({"/bin/sh", "-c", shell_command});
}

}  // namespace starling
