#include "sim/native/mpi_job.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "base/errors.hpp"
#include "sim/native/idle_wait.hpp"
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

std::vector<std::string> MpiJob::gather_all(std::string_view own) const {
  STARLING_INVARIANT(own.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  const auto length = static_cast<int>(own.size());
  std::vector<int> lengths(static_cast<std::size_t>(world_size()));
  check_mpi(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD), "MPI_Allgather");
  STARLING_INVARIANT(std::accumulate(lengths.begin(), lengths.end(), 0.0) <= std::numeric_limits<int>::max());

  std::vector<int> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  check_mpi(MPI_Allgatherv(own.data(), length, MPI_BYTE, all.data(), lengths.data(), offsets.data(), MPI_BYTE,
                           MPI_COMM_WORLD),
            "MPI_Allgatherv");
  std::vector<std::string> result;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    result.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
  return result;
}

void MpiJob::abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace starling
