#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "sim/native/idle_wait.hpp"

namespace starling {

/// This process's place in an MPI job, from MPI_Init to MPI_Finalize; alone if mpirun did not start it. One
/// per process, used by one thread.
///
/// What all ranks must do together is marked collective.
class MpiJob {
 public:
  /// Collective. @throws std::runtime_error if MPI cannot start.
  MpiJob();
  /// Collective.
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  Rank rank() const { return rank_; }
  int size() const { return static_cast<int>(host_of_rank_.size()); }
  /// The name of this process's host.
  const std::string& host_name() const { return host_name_; }
  /// Hosts are numbered in the order of their lowest ranks.
  const std::vector<int>& host_of_rank() const { return host_of_rank_; }

  /// TCP connections that this process had before it sent its first message: with whoever started it.
  const Connections& connections_of_launcher() const { return connections_of_launcher_; }

  /// Collective: what every rank gave, on every rank; so many bytes of all of them at once, which MPI limits.
  std::vector<std::string> gather_all(std::string_view own,
                                      std::int64_t most_at_once = std::numeric_limits<int>::max()) const;

  /// Ends every process of the job, at once.
  [[noreturn]] static void abort(int exit_code);

 private:
  Rank rank_ = 0;
  Connections connections_of_launcher_;
  std::string host_name_;
  std::vector<int> host_of_rank_;
};

}  // namespace starling
