#pragma once

#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

void add_schema(CommandLine& line);

/// `starling schema`: prints the JSON Schema of a kind of file. @throws UsageError if `what` is not one of
/// schemas().
void schema_command(const std::string& what);
/// The kinds of files that have a schema: "scenario" …
std::vector<std::string> schemas();

}  // namespace starling
