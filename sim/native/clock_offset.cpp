#include "sim/native/clock_offset.hpp"

#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "sim/native/mpi_error.hpp"

namespace starling {
namespace {

using std::chrono::nanoseconds;
using ClockReader = std::function<nanoseconds()>;

constexpr int questions = 100;
constexpr int clock_tag = 0;

/// Names the running kernel by its boot id, which Linux draws at every start: containers and namespaces of
/// one machine share it, and its clock.
std::string kernel_name(const MpiJob& job) {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
  return name.empty() ? job.host_name() : name;
}

void answer_rank_0(const ClockReader& clock) {
  for (int i = 0; i < questions; ++i) {
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, 0, clock_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    const std::int64_t answer = clock().count();
    check_mpi(MPI_Send(&answer, 1, MPI_INT64_T, 0, clock_tag, MPI_COMM_WORLD), "MPI_Send");
  }
}

/// On rank 0: how far that rank's clock is ahead.
std::int64_t ask(Rank rank, const ClockReader& clock) {
  std::int64_t offset_ns = 0;
  std::int64_t fastest_ns = 0;
  for (int i = 0; i < questions; ++i) {
    const std::int64_t asked_ns = clock().count();
    check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, rank, clock_tag, MPI_COMM_WORLD), "MPI_Send");
    std::int64_t answer_ns = 0;
    check_mpi(MPI_Recv(&answer_ns, 1, MPI_INT64_T, rank, clock_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              "MPI_Recv");
    const std::int64_t trip_ns = clock().count() - asked_ns;
    if (i > 0 && trip_ns >= fastest_ns) continue;
    fastest_ns = trip_ns;
    offset_ns = answer_ns - (asked_ns + trip_ns / 2);
  }
  return offset_ns;
}

/// For every rank, the lowest rank with the same clock.
std::vector<Rank> speakers(const std::vector<std::string>& clocks) {
  std::vector<Rank> lowest;
  for (const std::string& clock : clocks)
    lowest.push_back(static_cast<Rank>(std::find(clocks.begin(), clocks.end(), clock) - clocks.begin()));
  return lowest;
}

}  // namespace

nanoseconds clock_offset(const MpiJob& job, std::string_view name, const ClockReader& clock) {
  const std::vector<Rank> speaker = speakers(job.gather_all(name));
  std::int64_t offset_ns = 0;
  for (Rank rank = 1; rank < job.size(); ++rank) {
    if (speaker[static_cast<std::size_t>(rank)] != rank) continue;
    if (job.rank() == rank) answer_rank_0(clock);
    const std::int64_t found_ns = job.rank() == 0 ? ask(rank, clock) : 0;
    const std::vector<std::string> known = job.gather_all(std::to_string(found_ns));
    if (speaker[static_cast<std::size_t>(job.rank())] == rank) offset_ns = std::stoll(known[0]);
  }
  return nanoseconds(offset_ns);
}

nanoseconds clock_offset(const MpiJob& job) {
  return clock_offset(job, kernel_name(job),
                      [] { return nanoseconds(std::chrono::steady_clock::now().time_since_epoch()); });
}

}  // namespace starling
