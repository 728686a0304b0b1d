#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/effort/run_effort.hpp"
#include "analysis/running/machine.hpp"
#include "analysis/running/run_evaluator.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// What running all algorithms of a job takes at the very least.
struct JobDemand {
  double time_s = 0;         // on one core
  double memory_bytes = 0;   // of the algorithm that needs most
  double records_bytes = 0;  // of it, for a while on disk: what LargeMemory does not keep in memory
  double files_bytes = 0;    // iterations.csv of all
  /// About what it takes, which decides nothing; of 0 s where that is not known.
  RunEffort usual = {};
  /// About how long at most, where a run goes on until its means are known; 0 elsewhere.
  double most_time_s = 0;
};

/// How a job is run, as far as it decides about what that takes.
struct RunWays {
  Watching watching = {};
  bool is_traced = false;
  bool sends_all = false;  // nothing is evaluated, as of several jobs
  bool learns = true;      // if there is something to learn
  /// Without one, whole runs are never evaluated.
  const RunEvaluator* evaluator = nullptr;
};

/// What a machine has to give.
struct MachineSupply {
  double time_s = 0;
  double memory_bytes = 0;
  double records_bytes = 0;
  double files_bytes = 0;
  bool is_one_disk = false;  // records and files share this room
  int runs_at_once = 1;      // this is what each of them may take of memory and the room for records
};

/// Of simulating it: at least, whatever is evaluated, and about, with what is, searches for buckets and what
/// is learned. O(workers), and O(edges) for the graphs of some thousands of workers.
JobDemand demand_of(const ScenarioJob& job, const RunWays& ways = {});

/// Of measuring it so many times: workers compute at least, one iteration after the other.
JobDemand demand_of_measuring(const ScenarioJob& job, int repetitions);

/// Of this machine now: 30 days, the memory that this process may take, and the free room on the disks that
/// records and, if there is a folder, files go to. Memory and the room for records are those of one of so
/// many runs at a time.
MachineSupply supply_of_machine(const std::optional<std::filesystem::path>& folder, int runs_at_once = 1);

/// How many runs of this job, at least one and at most so many, have the memory and the room for records at
/// once that the machine gives to all.
int runs_that_fit(const JobDemand& demand, const MachineSupply& of_all, int most);

/// What to tell before a job runs so many times, and for so long besides: about how long, and with how much
/// memory, from a minute on and where that is more than there is; nothing otherwise.
std::optional<std::string> usual_demand_text(const JobDemand& demand, const MachineSupply& supply,
                                             int times = 1, double further_s = 0);

/// Whether what takes more than there is may be tried all the same.
enum class Forcing : bool { impossible, possible };

/// @throws ScenarioError if there is less than simulating the job takes: what it takes, what is missing, and
/// what would be accepted, among it --force where there is such an option, and fewer --jobs where these
/// would do.
void refuse_shortage(const ScenarioJob& job, const MachineSupply& supply, Forcing forcing);
/// The same where that is known.
void refuse_shortage(const ScenarioJob& job, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing);

/// The same of predicting it by the runtime model, and of simulating it as well, which nobody can force.
void refuse_shortage_of_modeling(const ScenarioJob& job, bool simulates, const MachineSupply& supply);

/// The same of measuring it so many times, which nobody can force.
void refuse_shortage_of_measuring(const ScenarioJob& job, int repetitions, const MachineSupply& supply);

/// The same of several jobs of a scenario, which together take that much.
void refuse_shortage(const Scenario& scenario, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing);

}  // namespace starling
