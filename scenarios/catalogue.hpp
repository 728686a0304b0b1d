#pragma once

#include <string>
#include <vector>

namespace starling {

/// One thing that a scenario may name.
struct CatalogueEntry {
  std::string name;
  std::string description;  // one line
};

/// What this version of Starling offers, in the order of presentation. Those that are files (models,
/// distributions) are read from the data directory. @throws ScenarioError if it cannot be read.
std::vector<CatalogueEntry> list_models();
std::vector<CatalogueEntry> list_algorithms();
std::vector<CatalogueEntry> list_topologies();
std::vector<CatalogueEntry> list_gpus();
std::vector<CatalogueEntry> list_distributions();
std::vector<CatalogueEntry> list_tasks();

}  // namespace starling
