#pragma once

#include <optional>
#include <string>

#include "analysis/demand/run_shape.hpp"
#include "analysis/effort/job_demand.hpp"
#include "analysis/effort/machine_supply.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// How many runs of this job, at least one and at most so many, have the memory and the room for records at
/// once that the machine gives to all.
int runs_that_fit(const JobDemand& demand, const MachineSupply& of_all, int most);

/// What to tell before a job runs, and other runs for so long besides: about how long, and with how much
/// memory, from a minute on and where that is more than there is; nothing otherwise.
std::optional<std::string> usual_demand_text(const JobDemand& demand, const MachineSupply& supply,
                                             double further_s = 0);

/// Whether what takes more than there is may be tried all the same.
enum class Forcing : bool { impossible, possible };

/// @throws ScenarioError if there is less than the job takes: what it takes, what is missing, and what would
/// be accepted, among it --force where there is such an option, and fewer --jobs where these would do.
void refuse_shortage(const ScenarioJob& job, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing);

/// The same of simulating the job in these ways: finds out what that takes at least, and, only where that is
/// too much, what it usually takes.
void refuse_shortage(const ScenarioJob& job, const MachineSupply& supply, Forcing forcing,
                     const RunWays& ways = {});

/// The same of several jobs of a scenario, which together take that much.
void refuse_shortage(const Scenario& scenario, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing);

}  // namespace starling
