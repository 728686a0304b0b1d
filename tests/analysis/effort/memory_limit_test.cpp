#include "analysis/effort/memory_limit.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

/// A made-up root of a file system with only the files of control groups.
class Groups {
 public:
  std::filesystem::path root() const { return folder_.path(); }

  /// Writes a line to a control group's file; `file` is relative to /sys/fs/cgroup.
  void set(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root() / "sys/fs/cgroup" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  double limit_bytes(const std::string& of_process) const { return cgroup_limit_bytes(root(), of_process); }

 private:
  ScratchFolder folder_;
};

TEST_CASE("Without control groups the memory limit is infinite") {
  const Groups groups;
  CHECK(std::isinf(groups.limit_bytes("")));
  CHECK(std::isinf(groups.limit_bytes("0::/jobs/7\n")));
  CHECK(std::isinf(groups.limit_bytes("no line of such a file\n4:memory\n")));
}

TEST_CASE("cgroup v2: the least limit of a process's group and its ancestors counts") {
  const Groups groups;
  groups.set("jobs/memory.max", "8000");
  groups.set("jobs/7/memory.max", "max");
  groups.set("jobs/7/step/memory.max", "max");
  CHECK(groups.limit_bytes("0::/jobs/7/step\n") == 8000);
  groups.set("jobs/7/memory.max", "2000");
  CHECK(groups.limit_bytes("0::/jobs/7/step\n") == 2000);
  groups.set("jobs/7/step/memory.max", "1000");
  CHECK(groups.limit_bytes("0::/jobs/7/step\n") == 1000);
  CHECK(groups.limit_bytes("0::/jobs/7\n") == 2000);
  CHECK(groups.limit_bytes("0::/jobs\n") == 8000);
  CHECK(std::isinf(groups.limit_bytes("0::/\n")));
}

TEST_CASE("cgroup v2: a container that sees only its own group has the limit of that group") {
  const Groups groups;
  groups.set("memory.max", "3000");
  CHECK(groups.limit_bytes("0::/\n") == 3000);
  CHECK(groups.limit_bytes("0::/docker/of_another_view\n") == 3000);
  CHECK(groups.limit_bytes("0::/../../jobs/7\n") == 3000);
  CHECK(groups.limit_bytes("") == 3000);
}

TEST_CASE("cgroup v1: only groups of the memory controller count") {
  const Groups groups;
  groups.set("memory/memory.limit_in_bytes", "9223372036854771712");
  groups.set("memory/slurm/job_7/memory.limit_in_bytes", "4000");
  groups.set("memory/slurm/job_7/step/memory.limit_in_bytes", "5000");
  groups.set("memory/other/memory.limit_in_bytes", "1");
  const std::string text =
      "6:cpu,cpuacct:/other\n4:memory:/slurm/job_7/step\n1:name=systemd:/other\n0::/other\n";
  CHECK(groups.limit_bytes(text) == 4000);
  CHECK(groups.limit_bytes("4:blkio,memory:/slurm/job_7") == 4000);
  CHECK(groups.limit_bytes("4:memory:/slurm") > 9e18);
}

TEST_CASE("cgroup v1 and v2 together: the least limit counts") {
  const Groups groups;
  groups.set("memory/job/memory.limit_in_bytes", "7000");
  groups.set("unified/job/memory.max", "6000");
  CHECK(groups.limit_bytes("4:memory:/job\n0::/job\n") == 6000);
  CHECK(groups.limit_bytes("4:memory:/job\n") == 7000);
}

TEST_CASE("The memory of this process is limited to between a megabyte and an exabyte") {
  CHECK(memory_of_process_bytes() > 1e6);
  CHECK(memory_of_process_bytes() < 1e18);
}

TEST_CASE("The limit of the address space limits the memory of a process, too") {
  REQUIRE(memory_of_process_bytes() >
          1e6);  // reads the limits of control groups before the address space is limited
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  const rlimit less{.rlim_cur = 1'000'000, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_AS, &less) == 0);
  const double limited_bytes = memory_of_process_bytes();
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(limited_bytes == 1e6);
}

}  // namespace
}  // namespace starling
