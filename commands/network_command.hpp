#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling network`.
struct NetworkArguments {
  std::filesystem::path file;                       // a scenario, or a cluster
  std::vector<std::string> overrides;               // /json/pointer=VALUE
  std::optional<std::filesystem::path> price_list;  // nullopt: the shipped one
  std::optional<std::filesystem::path> picture;     // file to draw the network to
  bool is_json = false;
  std::optional<std::string> export_format;
  std::optional<std::filesystem::path> out;  // file of the export; nullopt: stdout
};

void add_network(CommandLine& line);

/// Prints a report of the network of a cluster: parts, distances between hosts, bisection bandwidth and
/// price; or writes the network in one of the export_formats(). @throws ScenarioError for a wrong file,
/// UsageError for an unknown format or an output file that exists.
void network_command(const NetworkArguments& arguments);

}  // namespace starling
