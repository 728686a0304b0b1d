#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// `starling native`, in each process that mpirun starts.
struct NativeArguments {
  std::filesystem::path scenario;
  std::optional<std::filesystem::path> out;
  int repetitions = 1;
  bool is_traced = false;
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  bool is_quiet = false;
};

void add_native(CommandLine& line, void (*measure)(const NativeArguments& arguments));

/// Runs a scenario for real; rank 0 prints the table and writes the files.
///
/// Bad input is reported by one rank, and every rank throws ReportedError. Whatever goes wrong in a run is
/// reported by the rank that it happens to, with its host, and ends the whole job with exit code 1.
void measure_natively(const NativeArguments& arguments);

}  // namespace starling
