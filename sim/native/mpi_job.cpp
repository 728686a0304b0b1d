#include "sim/native/mpi_job.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "sim/native/mpi_error.hpp"

namespace starling {
namespace {

std::string own_host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

int world_size() {
  int size = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  return size;
}

std::vector<int> numbered_by_first(const std::vector<std::string>& names) {
  std::vector<std::string> seen;
  std::vector<int> numbers;
  for (const std::string& name : names) {
    const auto known = std::find(seen.begin(), seen.end(), name);
    numbers.push_back(static_cast<int>(known - seen.begin()));
    if (known == seen.end()) seen.push_back(name);
  }
  return numbers;
}

}  // namespace

MpiJob::MpiJob() {
  int provided = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  connections_of_launcher_ = count_connections();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  host_name_ = own_host_name();
  host_of_rank_ = numbered_by_first(gather_all(host_name_));
}

MpiJob::~MpiJob() { MPI_Finalize(); }

/// Transfers blocks, as MPI's counts and offsets are ints.
std::vector<std::string> MpiJob::gather_all(std::string_view own, std::int64_t most_at_once) const {
  const auto own_length = static_cast<std::int64_t>(own.size());
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(world_size()));
  check_mpi(MPI_Allgather(&own_length, 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, MPI_COMM_WORLD),
            "MPI_Allgather");
  const std::int64_t longest = std::ranges::max(lengths);
  const std::int64_t block = std::max<std::int64_t>(1, most_at_once / world_size());
  std::vector<std::string> all(lengths.size());
  for (std::int64_t begin = 0; begin < longest; begin += block) {
    std::vector<int> counts;
    for (const std::int64_t length : lengths)
      counts.push_back(static_cast<int>(std::clamp<std::int64_t>(length - begin, 0, block)));
    std::vector<int> offsets(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::string received(static_cast<std::size_t>(offsets.back() + counts.back()), '\0');
    const int own_count = counts[static_cast<std::size_t>(rank_)];
    check_mpi(MPI_Allgatherv(own.data() + std::min(begin, own_length), own_count, MPI_BYTE, received.data(),
                             counts.data(), offsets.data(), MPI_BYTE, MPI_COMM_WORLD),
              "MPI_Allgatherv");
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i].append(received, static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(counts[i]));
  }
  return all;
}

void MpiJob::abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace starling
