#pragma once

#include <string>
#include <vector>

namespace starling {

/// One thing that a scenario may name.
struct CatalogEntry {
  std::string name;
  std::string description;  // one line
};

/// The names that scenarios may use in this version of Starling, in the order of presentation. Models,
/// profiles and distributions are read from files of the data directory. @throws ScenarioError if one of
/// these cannot be read.
std::vector<CatalogEntry> list_models();
std::vector<CatalogEntry> list_profiles();
std::vector<CatalogEntry> list_algorithms();
std::vector<CatalogEntry> list_topologies();
std::vector<CatalogEntry> list_gpus();
std::vector<CatalogEntry> list_distributions();
std::vector<CatalogEntry> list_tasks();
std::vector<CatalogEntry> list_transports();

}  // namespace starling
