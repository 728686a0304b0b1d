#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// `starling network`.
struct NetworkArguments {
  std::filesystem::path file;          // a scenario, or a cluster
  std::vector<std::string> overrides;  // /json/pointer=VALUE
};

void add_network(CommandLine& line);

/// Prints what a cluster's network is: its parts, how far hosts are apart, and what halves of them can send
/// each other. @throws ScenarioError if the file is not right.
void network_command(const NetworkArguments& arguments);

}  // namespace starling
