#include "analysis/studies/run_in_process.hpp"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "io/json_text.hpp"
#include "io/output_file.hpp"
#include "io/processes/child_process.hpp"

namespace starling {
namespace {

/// A folder that goes with its owner.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "starling-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make a folder " + name);
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

nlohmann::json simulate_in_process(const ScenarioDocument& document, const std::string& name) {
  const ScratchDirectory scratch;
  nlohmann::json named = document.json;
  named["name"] = name;
  write_atomically(scratch.path() / "scenario.json", named.dump());
  const std::filesystem::path folder = scratch.path() / "out";
  const std::filesystem::path log = scratch.path() / "log";
  const int status = run_child({this_program(), "run", "-", "--quiet", "--out", folder.string()},
                               {.log = log,
                                .input = scratch.path() / "scenario.json",
                                .working_directory = std::filesystem::absolute(document.file).parent_path()});
  if (status != 0) throw std::runtime_error(read_text_file(log));
  return parse_json(read_text_file(folder / "result.json"), (folder / "result.json").string());
}

}  // namespace starling
