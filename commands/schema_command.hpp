#pragma once

#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

void add_schema(CommandLine& line);

/// `starling schema`: prints the JSON Schema of a kind of file. @throws UsageError for what has none.
void schema_command(const std::string& what);
/// What has a schema to print.
std::vector<std::string> schemas();

}  // namespace starling
