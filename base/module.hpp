#pragma once

#include <filesystem>
#include <string>

namespace starling {

/// The visibility of the symbols of a module and its libraries: to the module only, or also to everything
/// loaded later.
enum class ModuleSymbols { own, shared };

/// A part of Starling in a shared library of its own, `libstarling_NAME.so`, for code that is slow to load
/// and seldom used. It is loaded on first use, takes the rest of Starling from the program that loads it, and
/// stays loaded until the process ends.
class Module {
 public:
  /// Loads the module, unless it is loaded already. `purpose` is what errors call it: "the engine simgrid".
  /// @throws std::runtime_error, which names the file and why it cannot be loaded.
  Module(const std::string& name, const std::string& purpose, ModuleSymbols symbols = ModuleSymbols::own);

  /// A function that the module exports with C linkage. @throws std::runtime_error if there is none.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  std::filesystem::path file_;
  void* handle_;
};

/// The path of the running program.
std::filesystem::path this_program();

/// The folder of the modules: the one given to set_installed_module_directory(), which programs of other
/// projects call, if that exists; otherwise `../lib/starling`, relative to the folder of the running program.
std::filesystem::path module_directory();

/// Sets the folder where the modules of the linked Starling are installed. The CMake package calls it in
/// programs of other projects.
void set_installed_module_directory(const char* directory);

}  // namespace starling
