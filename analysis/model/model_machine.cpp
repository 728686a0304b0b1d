#include "analysis/model/model_machine.hpp"

#include <fmt/format.h>

#include "analysis/running/network_facts.hpp"
#include "analysis/running/simulated_machine.hpp"

namespace starling {
namespace {

/// Whether the engine gives even a message that is alone a time other than that of the model's equations.
bool has_own_equations(const Scenario& scenario) {
  switch (scenario.engine) {
    case Engine::event:
    case Engine::fair:
      return false;
    case Engine::tcp:
    case Engine::simgrid:
      return true;
  }
  return true;
}

}  // namespace

ModeledNetwork modeled_network(const Scenario& scenario, const Routes& routes) {
  const bool is_limited = scenario.engine == Engine::fair && !do_only_links_limit(scenario, routes);
  return {.routes = routes,
          .costs = scenario.message_costs,
          .rules = small_message_rules(scenario),
          .has_windows = is_limited && scenario.fair.window_bytes.has_value(),
          .has_connection_rate = is_limited && scenario.fair.connection_rate_Bps.has_value()};
}

ModelMachine::ModelMachine(const Scenario& scenario, const Routes& routes)
    : scenario_(scenario), routes_(routes) {}

Prediction ModelMachine::prediction_of(const PreparedRun& run) const {
  Prediction prediction = predict(run, modeled_network(scenario_, routes_));
  if (has_own_equations(scenario_)) {
    prediction.validity = ModelValidity::estimate;
    prediction.reasons.push_back(
        fmt::format("a message without contention is assumed to take as long as with the engine fair, not {}",
                    engine_name(scenario_.engine)));
  } else if (has_buffers_of_its_own(scenario_)) {
    prediction.validity = ModelValidity::estimate;
    prediction.reasons.emplace_back(
        "a send is assumed to be complete when all but send_buffer of its connection's bytes have passed the "
        "slowest link; the engine event takes the first link, and the bytes of this message only");
  }
  return prediction;
}

Outcome ModelMachine::run_trial(const PreparedRun& run) {
  Outcome outcome(routes_.workers());
  outcome.log = prediction_of(run).log;
  return outcome;
}

Measurement ModelMachine::measure(const PreparedRun& run, const PreparedRun*, TraceSink*) {
  return {.outcome = run_trial(run)};
}

}  // namespace starling
