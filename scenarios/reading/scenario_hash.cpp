#include "scenarios/reading/scenario_hash.hpp"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "io/json_text.hpp"
#include "io/version.hpp"

namespace starling {

std::string ScenarioHash::of(const Scenario& scenario) {
  return of(std::string(version()), scenario.as_read, of_files(scenario));
}

std::string ScenarioHash::of(const std::string& version, const nlohmann::ordered_json& as_read,
                             const std::string& of_files) {
  return of(version + '\n' + as_read.dump() + '\n' + of_files);
}

std::string ScenarioHash::of_files(const Scenario& scenario) {
  std::string text;
  for (const std::filesystem::path& file : scenario.input_files) text += of_file(file) + '\n';
  return of(text);
}

std::string ScenarioHash::of(const std::string& text) {
  static const boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  return boost::uuids::to_string(generator(text));
}

std::string ScenarioHash::of_file(const std::filesystem::path& file) {
  const std::lock_guard lock(mutex_);
  auto found = files_.find(file);
  if (found == files_.end()) found = files_.emplace(file, of(read_text_file(file))).first;
  return found->second;
}

}  // namespace starling
