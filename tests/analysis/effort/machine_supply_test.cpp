#include "analysis/effort/machine_supply.hpp"

#include <doctest/doctest.h>

namespace starling {

TEST_CASE("Runs at the same time share memory and the room for records") {
  const MachineSupply one = supply_of_machine(std::nullopt);
  const MachineSupply each = supply_of_machine(std::nullopt, 4);
  CHECK(each.memory_bytes == one.memory_bytes / 4);
  CHECK(each.records_bytes <= one.records_bytes / 2);
  CHECK(each.time_s == one.time_s);
}

}  // namespace starling
