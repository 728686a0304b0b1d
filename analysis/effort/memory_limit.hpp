#pragma once

#include <filesystem>
#include <string_view>

namespace starling {

/// The least memory limit of a process's control groups and of the groups that contain them, in bytes;
/// infinite if there is none. `groups` is the text of /proc/self/cgroup; /sys/fs/cgroup is looked up below
/// `root`. Limits are memory.max in version 2 and memory.limit_in_bytes of the memory controller in version
/// 1. In a container that sees only a part of the hierarchy, folders of groups that are not visible are
/// skipped, and the limits of the topmost visible group count.
double cgroup_limit_bytes(const std::filesystem::path& root, std::string_view groups);

/// How much memory this process may take, in bytes: the least of the machine's memory, the limit of its
/// control groups, and RLIMIT_AS. Control groups are read once per process, as a sweep calls this before
/// every run.
double memory_of_process_bytes();

}  // namespace starling
