#include "testbed/hosts/supervisor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/module.hpp"
#include "testbed/hosts/namespaces.hpp"
#include "testbed/hosts/tool.hpp"
#include "testbed/network/address_plan.hpp"
#include "testbed/network/file_descriptor.hpp"
#include "testbed/network/frame_switch.hpp"
#include "testbed/network/switch_report.hpp"

namespace starling {
namespace {

constexpr std::string_view is_up = "up";
constexpr double end_timeout_s = 20;

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  checked(::pipe2(ends.data(), O_CLOEXEC), "cannot create a pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void write_text(const FileDescriptor& file, std::string_view text) {
  if (::write(file.number(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::system_error(errno, std::generic_category(),
                            "cannot report to the process that started the testbed");
}

std::string read_to_end(const FileDescriptor& file) {
  std::string text;
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t count = ::read(file.number(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text << std::flush;
  if (!stream) throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
}

/// The text quoted as one word for a shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// Blocks the signals, and returns a descriptor from which they can be read.
FileDescriptor readable_signals(std::initializer_list<int> numbers) {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : numbers) ::sigaddset(&signals, signal);
  checked(::sigprocmask(SIG_BLOCK, &signals, nullptr), "cannot block signals");
  return FileDescriptor(checked(::signalfd(-1, &signals, SFD_CLOEXEC), "cannot wait for signals"));
}

void unblock_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Closes all inherited files except standard input, output and error, and `file`.
void close_all_but(const FileDescriptor& file) {
  const auto number = static_cast<unsigned>(file.number());
  ::close_range(STDERR_FILENO + 1, number - 1, 0);
  ::close_range(number + 1, ~0U, 0);
}

void detach_from_terminal() {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard);
  if (nothing > STDERR_FILENO) ::close(nothing);
}

/// Makes this process end with its parent, or at once if that has ended already.
void end_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

/// Requests real-time scheduling and locked memory, as the switch must run as soon as a frame is due. Returns
/// what the system refused.
std::string become_punctual() {
  std::string missing;
  ::prctl(PR_SET_TIMERSLACK, 1);
  if (::mlockall(MCL_CURRENT | MCL_FUTURE) < 0) missing += "memory could not be locked; ";
  const sched_param priority{.sched_priority = 50};
  if (::sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority) < 0)
    missing += "real-time priority was refused; ";
  return missing;
}

/// The process that sets up the testbed and runs its switch.
class Supervisor {
 public:
  Supervisor(const TestbedPlan& plan, const TestbedDirectory& directory)
      : plan_(plan),
        routes_(plan.network),
        directory_(directory),
        signals_(readable_signals({SIGTERM, SIGINT, SIGHUP})) {
    for (int host = 0; host < routes_.hosts(); ++host)
      host_names_.push_back(plan.network.vertices()[static_cast<std::size_t>(host)].name);
  }

  void build() {
    make_private_folder();
    std::vector<SwitchPort> ports = make_hosts();
    set_up_management();
    for (int host = 0; host < routes_.hosts(); ++host) set_up_host(host);
    frame_switch_.emplace(routes_, plan_.packets, std::move(ports));
    start_init();
    write_file(directory_.state_file(), state_text({.supervisor = ::getpid(),
                                                    .init = init_,
                                                    .workers = plan_.network.workers(),
                                                    .workers_per_host = plan_.network.workers_per_host(),
                                                    .host_names = host_names_}));
  }

  /// Runs the switch until a signal arrives, the testbed's first process ends, or the process at the other
  /// end of `starter`, if that is open, ends.
  void run(const FileDescriptor& starter) {
    const std::string missing = become_punctual();
    std::vector<int> ends{signals_.number(), end_of_init_.number()};
    if (starter.is_open()) ends.push_back(starter.number());
    frame_switch_->run_until_readable(ends);
    ::kill(init_, SIGKILL);
    ::waitpid(init_, nullptr, 0);
    write_file(directory_.report_file(), switch_report(*frame_switch_, routes_, missing));
  }

 private:
  std::filesystem::path network_of(int host) const {
    return directory_.namespace_file(host_names_[static_cast<std::size_t>(host)]);
  }
  std::filesystem::path head_network() const {
    return directory_.namespace_file(std::string(address_plan::head_name));
  }

  void make_private_folder() {
    isolate_mounts();
    const std::filesystem::path folder = directory_.private_folder();
    mount_in_memory(folder);
    std::filesystem::create_directory(folder / "net");
    write_file(folder / "hosts", address_plan::hosts_file(host_names_));
    mount_over(folder / "hosts", "/etc/hosts");
    write_file(directory_.agent_file(), fmt::format("#!/bin/sh\nexec {} testbed agent --name {} -- \"$@\"\n",
                                                    quoted(this_program().string()), directory_.name()));
    std::filesystem::permissions(directory_.agent_file(), std::filesystem::perms{0755});
  }

  void apply_kernel_settings() {
    for (const auto& [name, value] : kernel_settings(plan_.devices)) {
      const std::filesystem::path file = std::filesystem::path("/proc/sys") / name;
      if (std::filesystem::exists(file))
        write_file(file, value);  // a kernel without IPv6 lacks some of these files
    }
  }

  std::vector<SwitchPort> make_hosts() {
    enter_new_network(head_network());
    apply_kernel_settings();
    std::vector<SwitchPort> ports;
    for (int host = 0; host < routes_.hosts(); ++host) {
      enter_new_network(network_of(host));
      apply_kernel_settings();
      SwitchPort& port = ports.emplace_back();
      for (const NetworkCard& card : network_cards(routes_, host))
        port.devices.emplace_back(card.device, plan_.devices.packets_per_frame > 1);
    }
    return ports;
  }

  void set_up_management() {
    std::vector<std::string> files;
    for (int host = 0; host < routes_.hosts(); ++host) files.push_back(network_of(host).string());
    enter_network(head_network());
    run_tool({"ip", "-batch", "-"}, management_ip_batch(files), "iproute2");
  }

  void set_up_host(int host) {
    enter_network(network_of(host));
    run_tool({"ip", "-batch", "-"}, ip_batch(routes_, host, plan_.devices), "iproute2");
    run_tool({"tc", "-batch", "-"}, tc_batch(routes_, host, plan_.devices), "iproute2");
  }

  void start_init() {
    isolate_children();
    end_of_init_ = readable_signals({SIGCHLD});
    Pipe mounted = make_pipe();
    init_ = checked(::fork(), "cannot start the testbed's first process");
    if (init_ == 0) be_init(std::move(mounted.write_end));
    mounted.write_end.close();
    if (const std::string problem = read_to_end(mounted.read_end); problem != is_up)
      throw std::runtime_error("the testbed's first process: " + problem);
  }

  [[noreturn]] static void be_init(FileDescriptor status) {
    try {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      unblock_signals();
      close_all_but(status);
      mount_processes();
      write_text(status, is_up);
    } catch (const std::exception& error) {
      const std::string_view text = error.what();
      static_cast<void>(!::write(status.number(), text.data(), text.size()));
      ::_exit(1);
    }
    status.close();
    while (true)
      if (::wait(nullptr) < 0) ::pause();
  }

  const TestbedPlan& plan_;
  HostRoutes routes_;
  const TestbedDirectory& directory_;
  FileDescriptor signals_;
  std::vector<std::string> host_names_;
  std::optional<FrameSwitch> frame_switch_;
  pid_t init_ = 0;
  FileDescriptor end_of_init_;  // readable when the first process, the only child, has ended
};

[[noreturn]] void be_supervisor(const TestbedPlan& plan, const TestbedDirectory& directory,
                                FileDescriptor status, const FileDescriptor& starter) {
  try {
    Supervisor supervisor(plan, directory);
    supervisor.build();
    write_text(status, is_up);
    status.close();
    supervisor.run(starter);
  } catch (const std::exception& error) {
    const std::string_view text = error.what();
    if (status.is_open()) static_cast<void>(!::write(status.number(), text.data(), text.size()));
    ::_exit(1);
  }
  ::_exit(0);
}

[[noreturn]] void be_guardian(const TestbedPlan& plan, const TestbedDirectory& directory,
                              FileDescriptor status, const FileDescriptor& starter) {
  detach_from_terminal();
  const pid_t self = ::getpid();
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    end_with_parent(self);
    be_supervisor(plan, directory, std::move(status), starter);
  }
  status.close();
  if (supervisor > 0)
    while (::waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
    }
  directory.remove();
  ::_exit(0);
}

/// The end of a pipe that the testbed of this process watches. The kernel closes it when this process ends,
/// however that happens.
FileDescriptor& lifeline() {
  static FileDescriptor end;
  return end;
}

}  // namespace

void start_testbed(const TestbedPlan& plan, const TestbedDirectory& directory, Lifetime lifetime) {
  FileDescriptor lock = directory.create();
  Pipe status = make_pipe();
  Pipe starter;
  if (lifetime == Lifetime::of_this_process) starter = make_pipe();
  const pid_t guardian = checked(::fork(), "cannot start the testbed");
  if (guardian == 0) {
    status.read_end.close();
    starter.write_end.close();
    be_guardian(plan, directory, std::move(status.write_end), starter.read_end);
  }
  lock.close();
  status.write_end.close();
  lifeline() = std::move(starter.write_end);
  if (const std::string problem = read_to_end(status.read_end); problem != is_up) {
    directory.wait_for_end(end_timeout_s);
    throw std::runtime_error("the testbed cannot be set up: " +
                             (problem.empty() ? "its process died" : problem));
  }
}

std::string stop_testbed(const TestbedDirectory& directory) {
  std::ifstream report(directory.report_file());
  const std::optional<TestbedState> state = directory.state();
  if (state) ::kill(state->supervisor, SIGTERM);
  if (!directory.wait_for_end(end_timeout_s))
    throw std::runtime_error(fmt::format("the testbed \"{}\" does not stop; its supervisor is process {}",
                                         directory.name(), state ? state->supervisor : 0));
  if (directory.exists()) directory.remove();
  return {std::istreambuf_iterator<char>(report), {}};
}

}  // namespace starling
