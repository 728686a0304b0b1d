#include "base/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

namespace starling {
namespace {

std::filesystem::path& installed_module_directory() {
  static std::filesystem::path directory;
  return directory;
}

}  // namespace

std::filesystem::path this_program() {
  constexpr std::string_view deleted =
      " (deleted)";  // Linux appends this if the file was replaced while the program runs
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string& name = program.native();
  if (!name.ends_with(deleted) || std::filesystem::exists(program)) return program;
  return name.substr(0, name.size() - deleted.size());
}

std::filesystem::path module_directory() {
  const std::filesystem::path& installed = installed_module_directory();
  if (!installed.empty() && std::filesystem::is_directory(installed)) return installed;
  return std::filesystem::weakly_canonical(this_program().parent_path() / "../lib/starling");
}

void set_installed_module_directory(const char* directory) { installed_module_directory() = directory; }

Module::Module(const std::string& name, const std::string& purpose, ModuleSymbols symbols)
    : file_(module_directory() / fmt::format("libstarling_{}.so", name)) {
  if (!std::filesystem::exists(file_))
    throw std::runtime_error(fmt::format(
        "{} needs a file that does not exist: {}; building and installing put it into this folder", purpose,
        file_.string()));
  handle_ = ::dlopen(file_.c_str(), RTLD_NOW | (symbols == ModuleSymbols::shared ? RTLD_GLOBAL : RTLD_LOCAL));
  if (handle_ == nullptr)
    throw std::runtime_error(
        fmt::format("{} cannot be loaded from {}: {}", purpose, file_.string(), ::dlerror()));
}

void* Module::address(const char* name) const {
  void* const found = ::dlsym(handle_, name);
  if (found == nullptr)
    throw std::runtime_error(
        fmt::format("{} has no {}: it belongs to another build of Starling", file_.string(), name));
  return found;
}

}  // namespace starling
