#pragma once

#include <filesystem>
#include <optional>

namespace starling {

/// What a machine has to give.
struct MachineSupply {
  double time_s = 0;
  double memory_bytes = 0;
  double records_bytes = 0;
  double files_bytes = 0;
  bool is_one_disk = false;  // records and files share this room
  int runs_at_once = 1;      // this is what each of them may take of memory and the room for records
};

/// Of this machine now: 30 days, the memory that this process may take, and the free room on the disks that
/// records and, if there is a folder, files go to. Memory and the room for records are those of one of so
/// many runs at a time.
MachineSupply supply_of_machine(const std::optional<std::filesystem::path>& folder, int runs_at_once = 1);

}  // namespace starling
