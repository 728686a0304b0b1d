#pragma once

#include <filesystem>
#include <string>

namespace starling {

/// Gives this process mounts of its own, which others do not see. @throws std::system_error.
void isolate_mounts();
/// Mounts an empty file system that lives in memory.
void mount_in_memory(const std::filesystem::path& folder);
/// Lets this process see `source` instead of `target`, which must exist.
void mount_over(const std::filesystem::path& source, const std::filesystem::path& target);
/// Lets the processes of this process's namespace be seen in /proc.
void mount_processes();

/// Puts this process into a new network namespace, and makes it known as a file.
void enter_new_network(const std::filesystem::path& file);
/// Puts this process into the network namespace of that file.
void enter_network(const std::filesystem::path& file);
/// Gives this process a host name of its own.
void set_own_host_name(const std::string& name);

/// Lets the next child be the first process of a new namespace of processes: when it ends, they all do.
void isolate_children();
/// Joins the mounts of a process, and lets the next child join its namespace of processes. Keeps the working
/// folder.
void join_namespaces_of(int process);

}  // namespace starling
