#pragma once

#include <filesystem>
#include <string_view>

namespace starling {

/// The least that the control groups of a process and those around them allow it, in bytes; infinite where
/// there is no limit. `groups` is what /proc/self/cgroup says, below `root` is /sys/fs/cgroup: of version 2
/// the file memory.max of each group counts, of version 1 memory.limit_in_bytes of the memory controller.
/// Where a container shows a part of the groups only, its own folder is not found, but that above it is.
double cgroup_limit_bytes(const std::filesystem::path& root, std::string_view groups);

/// How much memory this process may take: what the machine has, its control groups allow and its own limit
/// (RLIMIT_AS) leaves. The groups are asked once: a sweep asks this before every run.
double memory_of_process_bytes();

}  // namespace starling
