#include "analysis/explanation/explained_simulation.hpp"

#include "analysis/explanation/run_explainer.hpp"
#include "analysis/jobs/several_jobs.hpp"
#include "analysis/model/exact_runs.hpp"
#include "analysis/running/runner.hpp"

namespace starling {

Result simulate_and_explain(const Scenario& scenario, RunObservers observers) {
  RunExplainer explainer(observers.progress);
  observers.explainer = &explainer;
  const ExactRuns exact_runs;
  observers.evaluator = &exact_runs;
  return scenario.jobs.empty() ? simulate(scenario, observers) : simulate_jobs(scenario, observers);
}

}  // namespace starling
