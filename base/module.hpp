#pragma once

#include <filesystem>
#include <string>

namespace starling {

/// Whose symbols a module's libraries become: its own, or those of all that is loaded later, too.
enum class ModuleSymbols { own, shared };

/// A part of Starling in a file of its own, `libstarling_NAME.so`, for what takes long to load and is seldom
/// used. It is loaded when it is first used, takes whatever else it needs of Starling from the program that
/// loads it, and stays as long as the process.
class Module {
 public:
  /// Loads it, unless it is there already. `purpose` is what errors call it: "the engine simgrid". @throws
  /// std::runtime_error, which names the file and why it cannot be loaded.
  Module(const std::string& name, const std::string& purpose, ModuleSymbols symbols = ModuleSymbols::own);

  /// A function that the module exports under a plain name. @throws std::runtime_error if there is none.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  std::filesystem::path file_;
  void* handle_;
};

/// The file of the program that runs.
std::filesystem::path this_program();

/// Where modules lie: where a program of another project was told (`set_installed_module_directory`), unless
/// that is gone; else in `../lib/starling` beside the program's folder.
std::filesystem::path module_directory();

/// Tells where the modules of the Starling that is linked are installed. The CMake package does it in
/// programs of other projects.
void set_installed_module_directory(const char* directory);

}  // namespace starling
