#include "analysis/effort/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace starling {
namespace {

constexpr double no_limit_bytes = std::numeric_limits<double>::infinity();

/// The limit in a file; infinite if the file is missing or says "max".
double limit_in_bytes(const std::filesystem::path& path) {
  std::ifstream file(path);
  double bytes = 0;
  return file >> bytes ? bytes : no_limit_bytes;
}

/// The least limit in the files of that name in `top` and in each folder from there down to the group.
double least_limit_bytes(std::filesystem::path top, const std::filesystem::path& group,
                         std::string_view name) {
  double bytes = limit_in_bytes(top / name);
  for (const std::filesystem::path& part : group.relative_path()) {
    if (part == "..") break;  // the group is outside of the visible hierarchy
    top /= part;
    bytes = std::min(bytes, limit_in_bytes(top / name));
  }
  return bytes;
}

bool is_one_of(std::string_view word, std::string_view words) {
  while (true) {
    const std::size_t comma = words.find(',');
    if (words.substr(0, comma) == word) return true;
    if (comma == std::string_view::npos) return false;
    words.remove_prefix(comma + 1);
  }
}

/// The limit of the group in a line such as "0::/jobs/7" (version 2) or "4:memory:/jobs/7" (version 1).
double limit_of_line_bytes(const std::filesystem::path& groups, std::string_view line) {
  const std::size_t first = line.find(':');
  if (first == std::string_view::npos) return no_limit_bytes;
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string_view::npos) return no_limit_bytes;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::filesystem::path group = line.substr(second + 1);
  if (controllers.empty())
    return std::min(least_limit_bytes(groups, group, "memory.max"),
                    least_limit_bytes(groups / "unified", group, "memory.max"));
  if (!is_one_of("memory", controllers)) return no_limit_bytes;
  return least_limit_bytes(groups / "memory", group, "memory.limit_in_bytes");
}

std::string own_groups() {
  std::ifstream file("/proc/self/cgroup");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

double cgroup_limit_bytes(const std::filesystem::path& root, std::string_view groups) {
  const std::filesystem::path folder = root / "sys/fs/cgroup";
  // In a container that mounts its own group as the root.
  double bytes = std::min(limit_in_bytes(folder / "memory.max"),
                          limit_in_bytes(folder / "memory/memory.limit_in_bytes"));
  while (!groups.empty()) {
    const std::size_t end = std::min(groups.find('\n'), groups.size());
    bytes = std::min(bytes, limit_of_line_bytes(folder, groups.substr(0, end)));
    groups.remove_prefix(std::min(end + 1, groups.size()));
  }
  return bytes;
}

double memory_of_process_bytes() {
  const double all =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  static const double of_groups_bytes = cgroup_limit_bytes("/", own_groups());
  rlimit limit{};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return std::min({all, of_groups_bytes, is_limited ? static_cast<double>(limit.rlim_cur) : no_limit_bytes});
}

}  // namespace starling
