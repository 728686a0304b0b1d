#pragma once

#include <cstdint>
#include <string>

#include "analysis/model/runtime_model.hpp"
#include "analysis/running/machine.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// What messages find in a scenario by the model; both must outlive it. Its engine may have equations of its
/// own besides.
ModeledNetwork modeled_network(const Scenario& scenario, const Routes& routes);

/// Predicts runs in place of running them. Algorithms must have a model.
class ModelMachine final : public Machine {
 public:
  /// Both must outlive the machine.
  ModelMachine(const Scenario& scenario, const Routes& routes);

  /// What the scenario's engine adds to the equations makes it less than exact, too.
  Prediction prediction_of(const PreparedRun& run) const;

  std::string name() const override { return "model"; }
  Outcome try_out(const PreparedRun& run) override;
  /// Times only: nothing is learned, and there is no timeline.
  Measurement measure(const PreparedRun& run, const PreparedRun* learning, TraceSink* trace) override;
  int runs_of_each(bool) const override { return 1; }
  std::uint64_t events() const override { return 0; }

 private:
  const Scenario& scenario_;
  const Routes& routes_;
};

}  // namespace starling
