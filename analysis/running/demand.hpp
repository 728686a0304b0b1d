#pragma once

#include <filesystem>
#include <optional>

#include "analysis/running/scenario_job.hpp"

namespace starling {

/// What running all algorithms of a job takes at the very least.
struct JobDemand {
  double time_s = 0;         // on one core
  double memory_bytes = 0;   // of the algorithm that needs most
  double records_bytes = 0;  // of it, for a while on disk: what LargeMemory does not keep in memory
  double files_bytes = 0;    // iterations.csv of all
};

/// What a machine has to give.
struct MachineSupply {
  double time_s = 0;
  double memory_bytes = 0;
  double records_bytes = 0;
  double files_bytes = 0;
  bool is_one_disk = false;  // records and files share this room
};

/// Of simulating it, whatever is evaluated. O(workers), and O(edges) for the graphs of some thousands of
/// workers.
JobDemand demand_of(const ScenarioJob& job);

/// Of measuring it so many times: workers compute at least, one iteration after the other.
JobDemand demand_of_measuring(const ScenarioJob& job, int repetitions);

/// Of this machine now: 30 days, the memory that this process may take, and the free room on the disks that
/// records and, if there is a folder, files go to.
MachineSupply supply_of_machine(const std::optional<std::filesystem::path>& folder);

/// Whether what takes more than there is may be tried all the same.
enum class Forcing : bool { impossible, possible };

/// @throws ScenarioError if there is less than simulating the job takes: what it takes, what is missing, and
/// what would be accepted, among it --force where there is such an option.
void refuse_shortage(const ScenarioJob& job, const MachineSupply& supply, Forcing forcing);

/// The same of predicting it by the runtime model, and of simulating it as well, which nobody can force.
void refuse_shortage_of_modeling(const ScenarioJob& job, bool simulates, const MachineSupply& supply);

/// The same of measuring it so many times, which nobody can force.
void refuse_shortage_of_measuring(const ScenarioJob& job, int repetitions, const MachineSupply& supply);

/// The same of several jobs of a scenario, which together take that much.
void refuse_shortage(const Scenario& scenario, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing);

}  // namespace starling
