#include "sim/clock_offset.hpp"

#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "sim/mpi_error.hpp"

namespace starling {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr int questions = 100;
constexpr int tag = 0;

/// Linux draws one at every start; containers and namespaces of one machine share it, and its clock.
std::string kernel_name(const MpiJob& job) {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
  return name.empty() ? job.host_name() : name;
}

std::int64_t now_ns() { return nanoseconds(Clock::now().time_since_epoch()).count(); }

void answer_rank_0() {
  for (int i = 0; i < questions; ++i) {
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    const std::int64_t answer = now_ns();
    check_mpi(MPI_Send(&answer, 1, MPI_INT64_T, 0, tag, MPI_COMM_WORLD), "MPI_Send");
  }
}

/// How far that rank's clock is ahead.
std::int64_t ask(Rank rank) {
  std::int64_t offset_ns = 0;
  std::int64_t fastest_ns = 0;
  for (int i = 0; i < questions; ++i) {
    const std::int64_t asked_ns = now_ns();
    check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, rank, tag, MPI_COMM_WORLD), "MPI_Send");
    std::int64_t answer_ns = 0;
    check_mpi(MPI_Recv(&answer_ns, 1, MPI_INT64_T, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    const std::int64_t trip_ns = now_ns() - asked_ns;
    if (i > 0 && trip_ns >= fastest_ns) continue;
    fastest_ns = trip_ns;
    offset_ns = answer_ns - (asked_ns + trip_ns / 2);
  }
  return offset_ns;
}

/// For every rank, the lowest rank that runs under the same kernel.
std::vector<Rank> speakers(const std::vector<std::string>& kernels) {
  std::vector<Rank> lowest;
  for (const std::string& kernel : kernels)
    lowest.push_back(static_cast<Rank>(std::find(kernels.begin(), kernels.end(), kernel) - kernels.begin()));
  return lowest;
}

}  // namespace

nanoseconds clock_offset(const MpiJob& job) {
  const std::vector<Rank> speaker = speakers(job.gather_all(kernel_name(job)));
  std::int64_t offset_ns = 0;
  for (Rank rank = 1; rank < job.size(); ++rank) {
    if (speaker[static_cast<std::size_t>(rank)] != rank) continue;
    if (job.rank() == rank) answer_rank_0();
    const std::int64_t found_ns = job.rank() == 0 ? ask(rank) : 0;
    const std::vector<std::string> known = job.gather_all(std::to_string(found_ns));
    if (speaker[static_cast<std::size_t>(job.rank())] == rank) offset_ns = std::stoll(known[0]);
  }
  return nanoseconds(offset_ns);
}

}  // namespace starling
