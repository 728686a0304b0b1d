#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling native`, in each process that mpirun starts.
struct NativeArguments {
  std::filesystem::path scenario;
  std::optional<std::filesystem::path> out;
  int repetitions = 1;
  bool is_traced = false;
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  bool is_quiet = false;
};

void add_native(CommandLine& line, void (*measure)(const NativeArguments& arguments));

/// Collective: runs a scenario on real processes; rank 0 prints the table and writes the files.
///
/// Bad input is reported by one rank, and every rank throws ReportedError. Failures of a run are reported by
/// the rank where they happen, with its host, and end the whole job with exit code 1.
void measure_natively(const NativeArguments& arguments);

}  // namespace starling
