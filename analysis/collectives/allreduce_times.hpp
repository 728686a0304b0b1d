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

/// Reads what a file says of the network: a scenario, whose work and length do not count and may be missing,
/// {"cluster": {…}}, or the cluster itself. `overrides` are of the file, `changes` of the scenario that is
/// made of it; its warnings tell of those overrides that do not count. @throws ScenarioError if anything of
/// that is wrong.
Scenario read_network_scenario(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides = {},
                               const std::vector<std::string>& changes = {});

/// What an all-reduce sums: floats, as nccl-tests and the OSU benchmarks do.
inline constexpr std::int64_t bytes_of_float = 4;

/// The clusters that "hierarchical" is for, as errors and tables say it.
inline constexpr const char* hosts_for_hierarchical =
    "several hosts with as many workers each, more than one, whose ranks are consecutive";

/// The names of the collectives that "auto" chooses from.
std::vector<std::string> allreduce_collectives();

struct AllreduceQuestion {
  std::vector<std::int64_t> sizes_bytes;  // at least one, each a whole number of floats
  /// Names from allreduce_collectives(); if nobody gives any, all that the cluster has a use for.
  std::optional<std::vector<std::string>> collectives = {};
  int jobs = 1;  // sizes at the same time at most
};

/// All-reduces of that many bytes.
struct AllreducesOfSize {
  std::int64_t bytes = 0;
  std::vector<double> times_s = {};  // by each collective
  std::string chosen_by_auto = {};   // one of allreduce_collectives()

  /// The number of the first collective that takes least.
  std::size_t fastest() const;
};

struct AllreduceTimes {
  int workers = 0;
  std::vector<std::string> collectives;
  /// Nobody named any, and hierarchical would be a ring, or is not possible.
  bool leaves_out_hierarchical = false;
  std::vector<AllreducesOfSize> sizes;
};

/// How long one all-reduce takes that all workers begin at the same moment on an idle network: until a worker
/// has the sum, mean over workers. It is the only iteration of a scenario that computes nothing and whose
/// model is one tensor; nccl-tests and the OSU benchmarks divide many calls, one after the other, by their
/// number. Where moments of waking up or shares of links are drawn, it is one draw.
/// @throws ScenarioError for one worker, a collective that does not fit the cluster, or where there is too
/// little memory.
AllreduceTimes allreduce_times(const Scenario& scenario, const AllreduceQuestion& question,
                               ProgressLine& progress);

}  // namespace starling
