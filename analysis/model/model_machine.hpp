#pragma once

#include <cstdint>
#include <string>

#include "analysis/model/runtime_model.hpp"
#include "analysis/running/machine.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// The network of a scenario as the model sees it; both arguments must outlive it. The equations that engines
/// `tcp` and `simgrid` have of their own are not in it.
ModeledNetwork modeled_network(const Scenario& scenario, const Routes& routes);

/// Predicts runs in place of running them. Algorithms must have a recurrence.
class ModelMachine final : public Machine {
 public:
  /// Both must outlive the machine.
  ModelMachine(const Scenario& scenario, const Routes& routes);

  /// The prediction of a run. An engine with equations or buffers of its own makes it an estimate.
  Prediction prediction_of(const PreparedRun& run) const;

  std::string name() const override { return "model"; }
  Outcome run_trial(const PreparedRun& run) override;
  /// Times only: no learning, and no timeline.
  Measurement measure(const PreparedRun& run, const PreparedRun* learning, TraceSink* trace) override;
  int runs_of_each(bool) const override { return 1; }
  std::uint64_t events() const override { return 0; }

 private:
  const Scenario& scenario_;
  const Routes& routes_;
};

}  // namespace starling
