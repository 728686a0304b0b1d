#include "testbed/hosts/testbed_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/texts/words.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {
namespace {

const std::filesystem::path all_testbeds = "/run/starling-testbed";
constexpr std::size_t longest_name = 32;

bool is_name(const std::string& name) {
  const auto is_legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= longest_name && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), is_legal);
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string state_text(const TestbedState& state) {
  return fmt::format("supervisor {}\ninit {}\nworkers {}\nworkers_per_host {}\nhosts {}\n", state.supervisor,
                     state.init, state.workers, state.workers_per_host, fmt::join(state.host_names, " "));
}

TestbedState parse_state(const std::string& text) {
  TestbedState state;
  std::istringstream lines(text);
  std::string key;
  while (lines >> key) {
    if (key == "supervisor") lines >> state.supervisor;
    if (key == "init") lines >> state.init;
    if (key == "workers") lines >> state.workers;
    if (key == "workers_per_host") lines >> state.workers_per_host;
    if (key != "hosts") continue;
    std::string names;
    std::getline(lines, names);
    state.host_names = words_of(names);
  }
  if (state.supervisor <= 0 || state.init <= 0 || state.workers <= 0 || state.workers_per_host <= 0 ||
      state.host_names.empty())
    throw std::runtime_error("the state of the testbed cannot be read: " + text);
  return state;
}

TestbedDirectory::TestbedDirectory(std::string name) : name_(std::move(name)), path_(all_testbeds / name_) {
  if (!is_name(name_))
    throw UsageError(fmt::format(
        "--name: \"{}\" is not a name of a testbed; expected up to {} lower-case letters, digits and hyphens",
        name_, longest_name));
}

FileDescriptor TestbedDirectory::create() const {
  std::filesystem::create_directories(path_);
  FileDescriptor lock(checked(::open(lock_file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644),
                              "cannot create " + lock_file().string()));
  if (::flock(lock.number(), LOCK_EX | LOCK_NB) < 0)
    throw UsageError(
        fmt::format("the testbed \"{0}\" is already running; starling testbed down --name {0} takes it down, "
                    "or choose another --name",
                    name_));
  // Leftovers of a crash.
  std::filesystem::remove(state_file());
  std::ofstream{report_file()};
  std::filesystem::create_directories(private_folder());
  return lock;
}

bool TestbedDirectory::exists() const { return std::filesystem::exists(path_); }

bool TestbedDirectory::is_locked() const {
  const FileDescriptor lock(::open(lock_file().c_str(), O_RDWR | O_CLOEXEC));
  return lock.is_open() && ::flock(lock.number(), LOCK_EX | LOCK_NB) < 0;
}

std::optional<TestbedState> TestbedDirectory::state() const {
  if (!is_locked() || !std::filesystem::exists(state_file())) return std::nullopt;
  return parse_state(text_of(state_file()));
}

bool TestbedDirectory::wait_for_end(double timeout_s) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  while (is_locked()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// The lock file is removed last: wait_for_end() waits as long as it is there, and its caller may then remove
/// the same files at the same time.
void TestbedDirectory::remove() const {
  std::filesystem::remove_all(private_folder());
  std::filesystem::remove(state_file());
  std::filesystem::remove(report_file());
  std::error_code is_gone;
  std::filesystem::remove(lock_file());
  std::filesystem::remove(path_, is_gone);
  std::filesystem::remove(all_testbeds, is_gone);  // or there are others
}

}  // namespace starling
