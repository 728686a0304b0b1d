#pragma once

#include <optional>
#include <string>

#include "analysis/demand/run_shape.hpp"
#include "analysis/effort/job_demand.hpp"
#include "analysis/effort/machine_supply.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// How many runs of a job fit at once into a machine's memory and room for records, which `of_all` gives for
/// all of them together; from 1 to `most`.
int runs_that_fit(const JobDemand& demand, const MachineSupply& of_all, int most);

/// A sentence for users about the estimated time and memory of a job; `further_s` is the time of runs beside
/// it. Nullopt if all takes less than a minute and the memory suffices.
std::optional<std::string> demand_estimate_text(const JobDemand& demand, const MachineSupply& supply,
                                                double further_s = 0);

/// Whether a user may try a job all the same for which the machine has too little (--force).
enum class Forcing : bool { impossible, possible };

/// @throws ScenarioError if the machine has less than the lower bound of the demand. It says what the job
/// takes, what is missing, and what would be accepted: fewer iterations or workers, fewer --jobs if that is
/// enough, or --force if the command has it.
void refuse_shortage(const ScenarioJob& job, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing);

/// The same for simulating a job in these ways. Computes the lower bound, and, only if that is too much, the
/// estimate for the error's text.
void refuse_shortage(const ScenarioJob& job, const MachineSupply& supply, Forcing forcing,
                     const RunConditions& conditions = {});

/// The same for a scenario of several jobs, with their demand in total.
void refuse_shortage(const Scenario& scenario, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing);

}  // namespace starling
