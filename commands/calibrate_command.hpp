#pragma once

#include <filesystem>
#include <optional>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `mpirun -n P starling calibrate`.
struct CalibrateArguments {
  std::optional<std::filesystem::path> out;
  std::optional<std::filesystem::path> network;  // a scenario, or a file that holds its cluster only
};

void add_calibrate(CommandLine& line, void (*measure)(const CalibrateArguments& arguments));

/// Collective: measures the costs of messages, reductions and timers, prints them, and writes FILE, which a
/// scenario can name as its cluster's `file`. @throws UsageError for less than two ranks. Other bad input is
/// reported by one rank, and every rank throws ReportedError; other failures are reported by the rank where
/// they happen, which then ends the whole job.
void measure_costs(const CalibrateArguments& arguments);

}  // namespace starling
