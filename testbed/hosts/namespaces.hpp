#pragma once

#include <filesystem>
#include <string>

namespace starling {

/// Moves this process to a new mount namespace, so that others do not see its mounts. Like all functions
/// here, @throws std::system_error if the kernel refuses.
void isolate_mounts();
/// Mounts an empty file system in memory (tmpfs) on a folder.
void mount_in_memory(const std::filesystem::path& folder);
/// Bind-mounts `source` over `target`, which must exist.
void mount_over(const std::filesystem::path& source, const std::filesystem::path& target);
/// Mounts a /proc that shows the processes of this process's PID namespace.
void mount_processes();

/// Moves this process to a new network namespace, and binds the namespace to `file`.
void enter_new_network(const std::filesystem::path& file);
/// Moves this process to the network namespace that is bound to `file`.
void enter_network(const std::filesystem::path& file);
/// Gives this process its own host name, in a new UTS namespace.
void set_own_host_name(const std::string& name);

/// Makes the next child the first process of a new PID namespace; when that child ends, all processes in the
/// namespace are killed.
void isolate_children();
/// Joins the mount namespace of a process, and makes the next child join its PID namespace. Keeps the working
/// folder.
void join_namespaces_of(int process);

}  // namespace starling
