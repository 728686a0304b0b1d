#include "analysis/effort/machine_supply.hpp"

#include <sys/stat.h>

#include <limits>
#include <system_error>

#include "analysis/effort/memory_limit.hpp"
#include "workloads/records/large_memory.hpp"

namespace starling {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The folder, or the nearest one above it that exists.
std::filesystem::path existing(std::filesystem::path folder) {
  std::error_code error;
  folder = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

/// The free space on a folder's disk; unlimited if it is unknown or the file system has no capacity at all,
/// as /proc.
double free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error || space.capacity == 0 ? unlimited : static_cast<double>(space.available);
}

bool are_on_one_disk(const std::filesystem::path& one, const std::filesystem::path& other) {
  struct stat of_one {};
  struct stat of_other {};
  return ::stat(one.c_str(), &of_one) == 0 && ::stat(other.c_str(), &of_other) == 0 &&
         of_one.st_dev == of_other.st_dev;
}

}  // namespace

MachineSupply supply_of_machine(const std::optional<std::filesystem::path>& folder, int runs_at_once) {
  constexpr double most_time_s = 30 * 24 * 3600;
  const std::filesystem::path of_records = existing(folder_of_large_memory());
  const std::filesystem::path of_files = existing(folder.value_or("/"));
  return {.time_s = most_time_s,
          .memory_bytes = memory_of_process_bytes() / runs_at_once,
          .records_bytes = free_bytes(of_records) / runs_at_once,
          .files_bytes = folder ? free_bytes(of_files) : unlimited,
          .is_one_disk = folder && are_on_one_disk(of_records, of_files),
          .runs_at_once = runs_at_once};
}

}  // namespace starling
