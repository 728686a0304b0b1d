#include "scenarios/reading/scenario_hash.hpp"

#include <sys/stat.h>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <chrono>

#include "io/json/json_text.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

std::string hash_of_files(const std::vector<InputContent>& files) {
  std::string text;
  for (const InputContent& file : files) text += file.hash + '\n';
  return ScenarioHash::of(text);
}

}  // namespace

std::string ScenarioHash::of(const Scenario& scenario) { return of(scenario, of_each_file(scenario)); }

std::string ScenarioHash::of(const Scenario& scenario, const std::vector<InputContent>& files) {
  return of(std::string(version()), scenario.as_read, hash_of_files(files));
}

std::string ScenarioHash::of(const std::string& version, const nlohmann::ordered_json& as_read,
                             const std::string& of_files) {
  return of(version + '\n' + as_read.dump() + '\n' + of_files);
}

std::vector<InputContent> ScenarioHash::of_each_file(const Scenario& scenario) {
  std::vector<InputContent> files;
  for (const std::filesystem::path& file : scenario.input_files)
    files.push_back({.file = file.string(), .hash = of_file(file)});
  return files;
}

std::string ScenarioHash::of_files(const Scenario& scenario) { return hash_of_files(of_each_file(scenario)); }

std::string ScenarioHash::of(const std::string& text) {
  static const boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  return boost::uuids::to_string(generator(text));
}

std::string ScenarioHash::of_file(const std::filesystem::path& file) {
  const std::lock_guard lock(mutex_);
  const FileState state = state_of(file);
  ReadFile& read = files_[file];
  if (read.state == FileState{} || read.state != state)
    read = {.state = is_settled(state) ? state : FileState{}, .hash = of(read_text_file(file))};
  return read.hash;
}

bool ScenarioHash::is_settled(const FileState& state) {
  constexpr std::int64_t clock_step_s = 2;  // the coarsest time stamps of common file systems
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return state != FileState{} &&
         std::chrono::duration_cast<std::chrono::seconds>(now).count() - state[5] > clock_step_s;
}

ScenarioHash::FileState ScenarioHash::state_of(const std::filesystem::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return {};
  return {static_cast<std::int64_t>(found.st_dev),          static_cast<std::int64_t>(found.st_ino),
          static_cast<std::int64_t>(found.st_size),         static_cast<std::int64_t>(found.st_mtim.tv_sec),
          static_cast<std::int64_t>(found.st_mtim.tv_nsec), static_cast<std::int64_t>(found.st_ctim.tv_sec),
          static_cast<std::int64_t>(found.st_ctim.tv_nsec)};
}

}  // namespace starling
