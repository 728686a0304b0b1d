#include "testbed/hosts/namespaces.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "testbed/network/file_descriptor.hpp"

namespace starling {
namespace {

FileDescriptor open_namespace(const std::filesystem::path& file) {
  return FileDescriptor(checked(::open(file.c_str(), O_RDONLY | O_CLOEXEC), "cannot open " + file.string()));
}

}  // namespace

void isolate_mounts() {
  checked(::unshare(CLONE_NEWNS), "cannot create a mount namespace");
  checked(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "cannot make mounts private");
}

void mount_in_memory(const std::filesystem::path& folder) {
  checked(::mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"),
          "cannot mount a file system in memory on " + folder.string());
}

void mount_over(const std::filesystem::path& source, const std::filesystem::path& target) {
  checked(::mount(source.c_str(), target.c_str(), nullptr, MS_BIND, nullptr),
          fmt::format("cannot mount {} over {}", source.string(), target.string()));
}

void mount_processes() {
  checked(::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "cannot mount /proc");
}

void enter_new_network(const std::filesystem::path& file) {
  checked(::unshare(CLONE_NEWNET), "cannot create a network namespace");
  std::ofstream{file};
  mount_over("/proc/self/ns/net", file);
}

void enter_network(const std::filesystem::path& file) {
  checked(::setns(open_namespace(file).number(), CLONE_NEWNET),
          "cannot enter the network namespace " + file.string());
}

void set_own_host_name(const std::string& name) {
  checked(::unshare(CLONE_NEWUTS), "cannot create a namespace for a host name");
  checked(::sethostname(name.data(), name.size()), "cannot set the host name " + name);
}

void isolate_children() { checked(::unshare(CLONE_NEWPID), "cannot create a process namespace"); }

void join_namespaces_of(int process) {
  const std::filesystem::path folder = fmt::format("/proc/{}/ns", process);
  const FileDescriptor mounts = open_namespace(folder / "mnt");
  const FileDescriptor processes = open_namespace(folder / "pid");
  const std::filesystem::path working_folder = std::filesystem::current_path();
  checked(::setns(processes.number(), CLONE_NEWPID), "cannot join the testbed's processes");
  checked(::setns(mounts.number(), CLONE_NEWNS), "cannot join the testbed's mounts");
  std::filesystem::current_path(working_folder);
}

}  // namespace starling
