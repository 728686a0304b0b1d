#pragma once

#include <filesystem>
#include <optional>

namespace starling {

/// What a machine has for runs.
struct MachineSupply {
  double time_s = 0;         // the longest run that is accepted
  double memory_bytes = 0;   // for each of `runs_at_once` runs
  double records_bytes = 0;  // free on the disk of LargeMemory, for each of these runs
  double files_bytes = 0;    // free on the disk of output files
  bool is_one_disk = false;  // whether records and files share a disk
  int runs_at_once = 1;
};

/// What this machine has now: 30 days, the memory that this process may take, and the free space on the disks
/// of records and of `folder`, where files go; unlimited for files without a folder. Memory and the space for
/// records are divided by `runs_at_once`.
MachineSupply supply_of_machine(const std::optional<std::filesystem::path>& folder, int runs_at_once = 1);

}  // namespace starling
