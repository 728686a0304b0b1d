#include "analysis/effort/machine_supply.hpp"

#include <doctest/doctest.h>

#include "workloads/records/large_memory.hpp"

namespace starling {

TEST_CASE("Runs at once share the memory and the disk space for records") {
  const MachineSupply one = supply_of_machine(std::nullopt);
  const MachineSupply each = supply_of_machine(std::nullopt, 4);
  CHECK(each.memory_bytes == one.memory_bytes / 4);
  CHECK(each.records_bytes <= one.records_bytes / 2);
  CHECK(each.time_s == one.time_s);
}

TEST_CASE("A results folder beside the records is on the same disk, one in /proc is not") {
  CHECK(supply_of_machine(folder_of_large_memory()).is_one_disk);
  CHECK(supply_of_machine(folder_of_large_memory() + "/yet/to/be/made").is_one_disk);
  CHECK_FALSE(supply_of_machine("/proc").is_one_disk);
  CHECK_FALSE(supply_of_machine(std::nullopt).is_one_disk);
}

}  // namespace starling
