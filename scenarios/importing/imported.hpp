#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace starling {

/// The result of importing a file of another simulator: a block of a scenario, and files that the block
/// names.
struct Imported {
  struct File {
    std::string name;  // relative to the folder of the scenario
    nlohmann::ordered_json content;
  };

  std::string key;               // of the block in a scenario: "cluster" or "workload"
  nlohmann::ordered_json value;  // the block
  std::vector<File> files = {};
  /// Assumptions, and what was left out, a sentence each.
  std::vector<std::string> notes = {};
};

/// A file to import.
struct ForeignFile {
  std::string path;  // its name in errors
  std::string text;
  std::string name;  // of imported models and profiles: the file's name without folder and extension
};

}  // namespace starling
