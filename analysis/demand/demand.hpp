#pragma once

#include "analysis/demand/run_shape.hpp"
#include "analysis/effort/job_demand.hpp"
#include "analysis/running/scenario_job.hpp"

namespace starling {

/// The demand of simulating a job: a lower bound, and, as `estimate`, an estimate that also counts evaluated
/// collectives, bucket searches and learning. O(workers), and O(edges) for graphs of some thousands of
/// workers.
JobDemand demand_of(const ScenarioJob& job, const RunConditions& conditions = {});

/// The same without the estimate (`estimate` and `most_time_s` are 0), which is quicker.
JobDemand least_demand_of(const ScenarioJob& job, const RunConditions& conditions = {});

/// The demand of running with so many seeds, one after the other.
JobDemand of_seeds(JobDemand demand, int seeds);

/// The demand of predicting a job by the runtime model, and also of simulating it if `simulates`.
JobDemand demand_of_modeling(const ScenarioJob& job, bool simulates);

/// The least demand of measuring a job so many times: the compute time of all iterations, one after the
/// other.
JobDemand demand_of_measuring(const ScenarioJob& job, int repetitions);

}  // namespace starling
