#include "analysis/model/model_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/running/simulated_machine.hpp"

namespace starling {
namespace {

/// Whether a message alone takes what the equations say.
bool has_own_equations(const Scenario& scenario) {
  return scenario.engine == Engine::tcp || scenario.engine == Engine::simgrid;
}

/// Whether sends may be complete before the equations say so: under `event` when the first link has taken
/// what their buffer does not hold, under others when the slowest one has.
bool ends_sends_sooner(const Scenario& scenario, const Routes& routes) {
  if (scenario.engine != Engine::event || !std::isfinite(scenario.message_costs.send_buffer_bytes))
    return false;
  const auto links = routes.links();
  return !std::ranges::all_of(
      links, [&](const Link& link) { return link.bandwidth_Bps == links.front().bandwidth_Bps; });
}

}  // namespace

ModelMachine::ModelMachine(const Scenario& scenario, const Routes& routes)
    : scenario_(scenario), routes_(routes) {}

Prediction ModelMachine::prediction_of(const PreparedRun& run) const {
  Prediction prediction = predict(
      run, {.routes = routes_, .costs = scenario_.message_costs, .rules = small_message_rules(scenario_)});
  if (has_own_equations(scenario_)) {
    prediction.validity = ModelValidity::estimate;
    prediction.reasons.push_back(
        fmt::format("a message alone is taken to cost what it does under fair, not under {}",
                    engine_name(scenario_.engine)));
  } else if (ends_sends_sooner(scenario_, routes_)) {
    prediction.validity = ModelValidity::estimate;
    prediction.reasons.emplace_back(
        "a send is taken to be complete when its slowest link has taken what no buffer holds, under event it "
        "is the first link");
  } else if (scenario_.engine == Engine::fair && scenario_.fair.window_bytes) {
    prediction.validity = ModelValidity::lower_bound;
    prediction.reasons.emplace_back("the windows of connections are left out");
  }
  return prediction;
}

Outcome ModelMachine::try_out(const PreparedRun& run) {
  Outcome outcome(routes_.workers());
  outcome.log = prediction_of(run).log;
  return outcome;
}

Measurement ModelMachine::measure(const PreparedRun& run, const PreparedRun*, TraceSink*) {
  return {.outcome = try_out(run)};
}

}  // namespace starling
