#include "analysis/explanation/explained_simulation.hpp"

#include <utility>

#include "analysis/explanation/run_explainer.hpp"
#include "analysis/running/runner.hpp"

namespace starling {

Result simulate_and_explain(const Scenario& scenario, RunObservers observers) {
  RunExplainer explainer(observers.progress);
  observers.explainer = &explainer;
  return simulate(scenario, observers);
}

}  // namespace starling
