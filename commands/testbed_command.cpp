#include "commands/testbed_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <variant>

#include "base/module.hpp"
#include "base/texts/words.hpp"
#include "commands/shared/common_options.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/units.hpp"
#include "scenarios/reading/cluster_file.hpp"
#include "testbed/hosts/guest.hpp"
#include "testbed/hosts/mpi_launch.hpp"
#include "testbed/hosts/supervisor.hpp"
#include "testbed/network/address_plan.hpp"
#include "testbed/network/shaping_limits.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

void require_root() {
  if (::geteuid() != 0)
    throw UsageError(
        "a testbed creates network namespaces and devices, which requires root: sudo starling testbed …");
}

void refuse_command(const TestbedArguments& arguments, std::string_view name) {
  if (!arguments.command.empty())
    throw UsageError(fmt::format("testbed {} runs no command; leave out what follows --", name));
}

std::int64_t bytes_of(const std::string& option, const std::string& text, std::int64_t least) {
  const auto parsed = parse_quantity(text, Dimension::size);
  const double* bytes = std::get_if<double>(&parsed);
  if (bytes == nullptr)
    throw UsageError(fmt::format("{}: {}, got \"{}\", expected {}", option, std::get<std::string>(parsed),
                                 text, accepted_form(Dimension::size)));
  constexpr double greatest = 1e12;
  if (*bytes < static_cast<double>(least) || *bytes > greatest)
    throw UsageError(fmt::format("{}: out of range, got {}, expected {}B to 1TB", option, text, least));
  return static_cast<std::int64_t>(*bytes);
}

DeviceOptions device_options(const TestbedArguments& arguments, const HostRoutes& routes) {
  return {.window_bytes = bytes_of("--window", arguments.window, 4096),
          .packets_per_frame = packets_per_frame(routes)};
}

PacketNetworkOptions packet_options(const TestbedArguments& arguments, const DeviceOptions& devices,
                                    int workers) {
  const std::int64_t largest_frame_bytes = devices.packets_per_frame * packet_bytes;
  return {
      .queue_bytes = arguments.queue ? bytes_of("--queue", *arguments.queue, largest_frame_bytes)
                                     : lossless_queue_bytes(workers, devices.window_bytes),
      .switching = arguments.is_store_and_forward ? Switching::store_and_forward : Switching::cut_through};
}

void check_host_names(const Network& network, const std::filesystem::path& file) {
  for (const Vertex& host : network.vertices().first(index_of(network.hosts())))
    if (!address_plan::is_host_name(host.name))
      throw UsageError(
          fmt::format("{}: /cluster/network: a host is named \"{}\"; on a testbed names of hosts are {}",
                      file.string(), host.name, address_plan::accepted_host_names));
}

void start(const TestbedArguments& arguments, const TestbedDirectory& directory, Lifetime lifetime) {
  require_root();
  const ClusterFile file = read_cluster_file(arguments.file, arguments.overrides);
  for (const std::string& warning : file.warnings) warn(warning);
  if (!is_block(file.cluster.placement))
    throw UsageError(fmt::format(
        "{}: /cluster/placement: on a testbed ranks are on hosts in order; it must be \"block\" or "
        "left out",
        file.file.string()));
  if (file.cluster.nics_per_host > 1 || file.cluster.nic_link)
    throw UsageError(fmt::format(
        "{}: /cluster: on a testbed hosts have one network card, without a link of its own; leave out "
        "\"nics_per_host\" and \"nic_link\"",
        file.file.string()));
  const Network network = build_network(file.cluster);
  check_host_names(network, file.file);
  const HostRoutes routes(network);
  try {
    check_can_be_shaped(routes, shaping_limits());
  } catch (const CannotShapeError& error) {
    throw UsageError(fmt::format("{}: {}", file.file.string(), error.what()));
  }
  if (const std::string warning = total_rate_warning(routes); !warning.empty())
    warn(warning + "; the report of the testbed's end shows how late packets were");
  if (network.workers_per_host() > 1)
    warn("links inside hosts are not emulated: workers of a host communicate over its loopback device");
  const DeviceOptions devices = device_options(arguments, routes);
  start_testbed({network, devices, packet_options(arguments, devices, network.workers())}, directory,
                lifetime);
  print_error(fmt::format("starling: the testbed \"{}\" is up: {} hosts, {} links, {} workers\n",
                          directory.name(), network.hosts(), routes.used_links().size(), network.workers()));
}

TestbedState state_of(const TestbedDirectory& directory) {
  require_root();
  std::optional<TestbedState> state = directory.state();
  if (!state)
    throw UsageError(
        fmt::format("no testbed \"{}\" is up; starling testbed up FILE.json starts one", directory.name()));
  return *state;
}

/// The command, in which "starling" stands for this very program, wherever it is installed.
std::vector<std::string> with_own_path(std::vector<std::string> command) {
  if (command.empty()) throw UsageError("a command is missing after --");
  if (command.front() == "starling") command.front() = this_program().string();
  return command;
}

void stop(const TestbedDirectory& directory) {
  const bool was_there = directory.exists();
  const std::string report = stop_testbed(directory);
  if (!report.empty())
    print_error("starling: " + report);
  else
    print_error(fmt::format("starling: no testbed \"{}\" was up{}\n", directory.name(),
                            was_there ? "; its remains after a crash have been removed" : ""));
}

/// Ends a testbed when it goes out of scope.
class Demolition {
 public:
  explicit Demolition(const TestbedDirectory& directory) : directory_(directory) {}
  ~Demolition() {
    try {
      stop(directory_);
    } catch (const std::exception& error) {
      print_error(fmt::format("starling: {}\n", error.what()));
    }
  }
  Demolition(const Demolition&) = delete;
  Demolition& operator=(const Demolition&) = delete;

 private:
  const TestbedDirectory& directory_;
};

/// Starts the hosts and the network of a cluster on this machine.
void up(const TestbedArguments& arguments) {
  refuse_command(arguments, "up");
  start(arguments, TestbedDirectory(arguments.name), Lifetime::until_down);
}

/// Starts the command on all workers with mpirun. Returns its exit code.
int run(const TestbedArguments& arguments) {
  const TestbedDirectory directory(arguments.name);
  const TestbedState state = state_of(directory);
  return run_guest(
      directory, state, std::string(address_plan::head_name),
      mpi_launch(directory, state, words_of(arguments.mpirun_options), with_own_path(arguments.command)));
}

/// Runs the command on one host. Returns its exit code.
int on(const TestbedArguments& arguments) {
  const TestbedDirectory directory(arguments.name);
  const TestbedState state = state_of(directory);
  const std::vector<std::string>& names = state.host_names;
  if (std::ranges::find(names, arguments.host) == names.end())
    throw UsageError(fmt::format("there is no host \"{}\"; there are {} to {}", arguments.host, names.front(),
                                 names.back()));
  return run_guest(directory, state, arguments.host, {with_own_path(arguments.command), {}});
}

/// Ends the testbed and prints its report.
void down(const TestbedArguments& arguments) {
  refuse_command(arguments, "down");
  require_root();
  stop(TestbedDirectory(arguments.name));
}

/// Up, run and down; the testbed also ends if this process is killed.
int exec(const TestbedArguments& arguments) {
  const TestbedDirectory directory(arguments.name);
  const std::vector<std::string> command = with_own_path(arguments.command);
  start(arguments, directory, Lifetime::of_this_process);
  const Demolition demolition(directory);
  return run(arguments);
}

/// Stands in for the remote shell with which mpirun starts processes on other hosts.
void agent(const TestbedArguments& arguments) {
  // The words that mpirun gives to a remote shell: options, the host, and the command.
  auto word = arguments.command.begin();
  while (word != arguments.command.end() && word->starts_with('-')) ++word;
  if (word == arguments.command.end())
    throw UsageError("starling testbed agent is called by mpirun only: HOST COMMAND…");
  const std::string host = *word++;
  become_agent(TestbedDirectory(arguments.name), host,
               fmt::format("{}", fmt::join(word, arguments.command.end(), " ")));
}

/// The options that `up` and `exec` share.
void add_network(Command& command, TestbedArguments& arguments) {
  command.add_required_word("FILE.json", &arguments.file,
                            "A scenario, or a file that holds its cluster only");
  add_overrides(command, arguments.overrides, "file");
  command.add_flag("--store-and-forward", arguments.is_store_and_forward,
                   "Switches store and forward whole packets (default: cut-through, as in the simulation)");
  command.add_option("--window", "SIZE", &arguments.window,
                     "Largest unacknowledged data of a TCP connection (default: 512KiB)");
  command.add_option(
      "--queue", "SIZE", &arguments.queue,
      "Largest queue of a link; packets beyond it are dropped (default: so large that none are)");
}

void add_mpirun(Command& command, TestbedArguments& arguments) {
  command.add_option("--mpirun", "OPTIONS", &arguments.mpirun_options,
                     "Further options of mpirun, in one argument");
}

constexpr const char* exits_with_guest = "Exits with the program's own code.";

void add_up(Command command, const std::shared_ptr<TestbedArguments>& arguments) {
  add_network(command, *arguments);
  command.set_footer("Example:\n  starling testbed up scenario.json");
  command.does(arguments, up);
}

void add_run_on_all(Command command, const std::shared_ptr<TestbedArguments>& arguments) {
  add_mpirun(command, *arguments);
  command.set_footer(
      fmt::format("Example:\n  starling testbed run -- starling native scenario.json --out measured\n{}",
                  exits_with_guest));
  command.does(arguments, run);
}

void add_on(Command command, const std::shared_ptr<TestbedArguments>& arguments) {
  command.add_required_word("HOST", &arguments->host, "The host");
  command.set_footer(
      fmt::format("Example:\n  starling testbed on host0 -- ip address\n{}", exits_with_guest));
  command.does(arguments, on);
}

void add_exec(Command command, const std::shared_ptr<TestbedArguments>& arguments) {
  add_network(command, *arguments);
  add_mpirun(command, *arguments);
  command.set_footer(
      fmt::format("Example:\n  starling testbed exec scenario.json -- starling native scenario.json --out "
                  "measured\n{}",
                  exits_with_guest));
  command.does(arguments, exec);
}

}  // namespace

std::vector<std::string> take_guest_command(int& argument_count, char** arguments) {
  if (argument_count < 2 || std::string_view(arguments[1]) != "testbed") return {};
  char** const end = arguments + argument_count;
  char** const separator = std::find(arguments, end, std::string_view("--"));
  if (separator == end) return {};
  argument_count = static_cast<int>(separator - arguments);
  return {separator + 1, end};
}

void add_testbed(CommandLine& line, std::vector<std::string> guest_command) {
  const auto arguments = std::make_shared<TestbedArguments>();
  arguments->command = std::move(guest_command);
  Command testbed = line.add_command(
      "testbed",
      "Emulate a cluster's hosts and network on this machine, to run MPI programs on it (as root)");
  testbed.set_footer(
      "Examples:\n"
      "  starling testbed exec scenario.json -- starling native scenario.json --out measured\n"
      "  starling testbed up scenario.json\n"
      "  starling testbed on host0 -- ip address\n"
      "  starling testbed down\n"
      "run, on and exec exit with the program's own code.");
  const auto add = [&](const std::string& name, const std::string& description) {
    Command command = testbed.add_command(name, description);
    command.add_option("--name", "NAME", &arguments->name, "Name of the testbed, if there are several");
    return command;
  };
  add_up(add("up", "Start the hosts and the network"), arguments);
  add_run_on_all(
      add("run", "Start a program on all workers with mpirun: run [OPTIONS] -- PROGRAM [ARGUMENTS]"),
      arguments);
  add_on(add("on", "Run a program on one host: on HOST -- PROGRAM [ARGUMENTS]"), arguments);
  Command down_command = add("down", "End the testbed and all programs in it");
  down_command.set_footer("Example:\n  starling testbed down");
  down_command.does(arguments, down);
  add_exec(add("exec", "up, run and down: exec FILE.json [OPTIONS] -- PROGRAM [ARGUMENTS]"), arguments);
  Command agent_command = add("agent", "Used by mpirun to start processes");
  agent_command.hide();
  agent_command.does(arguments, agent);
}

}  // namespace starling
