#include "testbed/hosts/tool.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <stdexcept>

#include "testbed/network/file_descriptor.hpp"

namespace starling {
namespace {

FileDescriptor file_in_memory(const std::string& text) {
  FileDescriptor file(checked(::memfd_create("starling", MFD_CLOEXEC), "cannot create a file in memory"));
  if (::pwrite(file.number(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw std::system_error(errno, std::generic_category(), "cannot write to a file in memory");
  return file;
}

std::string text_of(const FileDescriptor& file) {
  std::string text(4096, '\0');
  const ssize_t count = ::pread(file.number(), text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

std::vector<char*> argument_pointers(const std::vector<std::string>& command) {
  std::vector<char*> pointers;
  for (const std::string& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void run_tool(const std::vector<std::string>& command, const std::string& input, const std::string& package) {
  const FileDescriptor in = file_in_memory(input);
  const FileDescriptor out = file_in_memory("");
  const std::vector<char*> arguments = argument_pointers(command);
  const pid_t child = checked(::fork(), "cannot start " + command.front());
  if (child == 0) {
    ::dup2(in.number(), STDIN_FILENO);
    ::dup2(out.number(), STDOUT_FILENO);
    ::dup2(out.number(), STDERR_FILENO);
    ::execvp(arguments.front(), arguments.data());
    ::_exit(cannot_run);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == cannot_run)
    throw std::runtime_error(
        fmt::format("cannot run {}; install the Debian package {}", command.front(), package));
  throw std::runtime_error(fmt::format("{} failed: {}", fmt::join(command, " "), text_of(out)));
}

}  // namespace starling
