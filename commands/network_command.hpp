#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.hpp"

namespace starling {

/// `starling network`.
struct NetworkArguments {
  std::filesystem::path file;                       // a scenario, or a cluster
  std::vector<std::string> overrides;               // /json/pointer=VALUE
  std::optional<std::filesystem::path> price_list;  // that of Starling if absent
  std::optional<std::filesystem::path> picture;     // to be drawn
  bool is_json = false;
};

void add_network(CommandLine& line);

/// Prints what a cluster's network is: its parts, how far hosts are apart, what halves of them can send each
/// other, and what it costs. @throws ScenarioError if a file is not right.
void network_command(const NetworkArguments& arguments);

}  // namespace starling
