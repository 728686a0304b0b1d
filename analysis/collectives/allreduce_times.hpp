#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/terminal/progress_line.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Reads the network of a file, which is a scenario, {"cluster": {…}}, or the cluster itself. Workload,
/// algorithms, jobs and numbers of iterations have no effect and may be missing. `overrides` apply to the
/// file, `changes` to the scenario that is made of it. Warns of overrides that have no effect. @throws
/// ScenarioError if any of this is wrong.
Scenario read_network_scenario(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides = {},
                               const std::vector<std::string>& changes = {});

/// The size of an element: all-reduces sum floats, as in nccl-tests and the OSU benchmarks.
inline constexpr std::int64_t bytes_of_float = 4;

/// The clusters that "hierarchical" fits, in the words of errors and tables.
inline constexpr const char* hosts_for_hierarchical =
    "several hosts with equally many workers, at least two, whose ranks are consecutive";

/// The names of the collectives that "auto" chooses from.
std::vector<std::string> allreduce_collectives();

/// Which all-reduces to time.
struct AllreduceQuestion {
  std::vector<std::int64_t> sizes_bytes;  // at least one, each a whole number of floats
  /// Names from allreduce_collectives(). If absent, all of them; "hierarchical" only where it fits the
  /// cluster.
  std::optional<std::vector<std::string>> collectives = {};
  int jobs = 1;  // the most sizes that are simulated at the same time
};

/// All-reduces of one size.
struct AllreducesOfSize {
  std::int64_t bytes = 0;
  std::vector<double> times_s = {};  // of each collective, until its last worker has the sum
  std::string chosen_by_auto = {};   // one of allreduce_collectives()

  /// The index of the fastest collective; of the first one if several are.
  std::size_t fastest() const;
};

/// The times of all-reduces on a cluster.
struct AllreduceTimes {
  int workers = 0;
  std::vector<std::string> collectives;
  /// Whether no collectives were named, and "hierarchical" is left out because it does not fit the cluster.
  bool leaves_out_hierarchical = false;
  std::vector<AllreducesOfSize> sizes;
};

/// Simulates single all-reduces that all workers begin at the same time on an idle network. A time is that
/// from this moment until the last worker has the sum. nccl-tests and the OSU benchmarks instead divide the
/// time of many successive calls by their number. Where the cluster's options draw random wake-up times or
/// shares of links, a time is that of a single draw. @throws ScenarioError for one worker, a collective that
/// does not fit the cluster, or too little memory.
AllreduceTimes allreduce_times(const Scenario& scenario, const AllreduceQuestion& question,
                               ProgressLine& progress);

}  // namespace starling
