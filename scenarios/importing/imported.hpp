#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace starling {

/// What another simulator's file becomes: a part of a scenario, and files that this part names.
struct Imported {
  struct File {
    std::string name;  // in the folder of the scenario
    nlohmann::ordered_json content;
  };

  std::string key;               // of a scenario: "cluster" or "workload"
  nlohmann::ordered_json value;  // of that key
  std::vector<File> files = {};
  /// What was assumed or left out, a sentence each.
  std::vector<std::string> notes = {};
};

/// A file to import.
struct ForeignFile {
  std::string path;  // as errors call it
  std::string text;
  std::string name;  // of what comes of it: the file's own without folder and ending
};

}  // namespace starling
