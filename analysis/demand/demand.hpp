#pragma once

#include "analysis/demand/run_shape.hpp"
#include "analysis/effort/job_demand.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// Of simulating the job: at least, whatever is evaluated, and about, with what is, searches for buckets and
/// what is learned. O(workers), and O(edges) for the graphs of some thousands of workers.
JobDemand demand_of(const ScenarioJob& job, const RunWays& ways = {});

/// The same without what is usual.
JobDemand least_demand_of(const ScenarioJob& job, const RunWays& ways = {});

/// Of doing the same with so many seeds, one after the other.
JobDemand of_seeds(JobDemand demand, int seeds);

/// Of predicting it by the runtime model, and of simulating it as well.
JobDemand demand_of_modeling(const ScenarioJob& job, bool simulates);

/// Of measuring it so many times: workers compute at least, one iteration after the other.
JobDemand demand_of_measuring(const ScenarioJob& job, int repetitions);

}  // namespace starling
