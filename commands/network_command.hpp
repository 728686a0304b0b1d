#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// `starling network`.
struct NetworkArguments {
  std::filesystem::path file;                       // a scenario, or a cluster
  std::vector<std::string> overrides;               // /json/pointer=VALUE
  std::optional<std::filesystem::path> price_list;  // that of Starling if absent
  std::optional<std::filesystem::path> picture;     // to be drawn
  bool is_json = false;
  std::optional<std::string> export_format;
  std::optional<std::filesystem::path> out;  // of what is exported; else stdout
};

void add_network(CommandLine& line);

/// Prints what a cluster's network is: its parts, how far hosts are apart, what halves of them can send each
/// other, and what it costs; or writes it in one of the export_formats. @throws ScenarioError if a file is
/// not right, UsageError for a format that there is not, UsageError if the output file is there.
void network_command(const NetworkArguments& arguments);

}  // namespace starling
