#pragma once

#include "analysis/results/result.hpp"
#include "analysis/running/run_observers.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/native/mpi_job.hpp"

namespace starling {

/// @throws ScenarioError if the job has not as many processes as the scenario workers, or an algorithm does
/// not fit.
void check_fits(const Scenario& scenario, const MpiJob& job);

/// Runs every algorithm of the scenario for real, one after the other, `repetitions` times each, with the
/// random draws that a simulation makes. Collective; the result is the same on every rank.
///
/// Whatever the scenario says of the network is not used, but for what algorithms are told of it: which
/// collective "auto" is, and who shares a host. Where there is something to learn, the models are real in the
/// runs that are measured. Workers compute as the scenario's compute kind says.
/// The scenario must fit. @throws CommunicationError if a run cannot go on: the job must then be aborted.
Result run_natively(const Scenario& scenario, const MpiJob& job, int repetitions,
                    const RunObservers& observers = {});

}  // namespace starling
