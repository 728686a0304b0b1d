#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "sim/native/idle_wait.hpp"

namespace starling {

/// This process's place in an MPI job, from MPI_Init to MPI_Finalize; a job of one rank if mpirun did not
/// start it. One object per process, used by one thread.
///
/// Functions that all ranks must call together are marked as collective.
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

  /// The TCP connections that this process had before it sent its first message: those to its launcher.
  const Connections& connections_of_launcher() const { return connections_of_launcher_; }

  /// Collective: gathers the strings of all ranks on every rank. Transfers at most `most_at_once` bytes, of
  /// all ranks together, per MPI call, as MPI limits counts.
  std::vector<std::string> gather_all(std::string_view own,
                                      std::int64_t most_at_once = std::numeric_limits<int>::max()) const;

  /// Aborts every process of the job at once.
  [[noreturn]] static void abort(int exit_code);

 private:
  Rank rank_ = 0;
  Connections connections_of_launcher_;
  std::string host_name_;
  std::vector<int> host_of_rank_;
};

}  // namespace starling
