#include "analysis/running/runner.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include "algorithms/collectives/evaluation/evaluated_rings.hpp"
#include "analysis/running/scenario_runner.hpp"
#include "base/errors.hpp"
#include "io/scenario_error.hpp"
#include "sim/networks/event_network.hpp"
#include "sim/networks/simgrid_network.hpp"
#include "sim/networks/tcp_network.hpp"
#include "workloads/learning/learning_log.hpp"

namespace starling {
namespace {

std::unique_ptr<NetworkModel> network_model(const Scenario& scenario, const Network& network) {
  switch (scenario.engine) {
    case Engine::event:
      return std::make_unique<EventNetwork>(network);
    case Engine::simgrid:
      return std::make_unique<SimGridNetwork>(network, scenario.simgrid);
    case Engine::tcp:
      return std::make_unique<TcpNetwork>(network, scenario.tcp);
  }
  throw InvariantError("there is no such engine");
}

/// @throws ScenarioError if the engine cannot model this network.
std::unique_ptr<NetworkModel> make_network_model(const Scenario& scenario, const Network& network) {
  try {
    return network_model(scenario, network);
  } catch (const std::invalid_argument& error) {
    throw ScenarioError({.file = scenario.file.string(),
                         .place = "/cluster/network",
                         .problem = error.what(),
                         .got = "",
                         .expected = ""});
  }
}

/// Runs a scenario in this process, on a modeled network.
class Simulator final : public ScenarioRunner {
 public:
  using ScenarioRunner::ScenarioRunner;

 private:
  std::string engine() const override { return engine_names()[static_cast<std::size_t>(scenario().engine)]; }
  Outcome execute(const TrainingAlgorithm& algorithm, std::int64_t iterations, TraceSink* trace) override;
  Outcome measure(std::size_t index, RunResult& result) override;
  std::optional<LearningResult> learn(std::size_t index, const IterationLog& timed) override;
  std::int64_t runs_of_each() const override { return scenario().learning ? 2 : 1; }

  Outcome execute(const TrainingAlgorithm& algorithm, std::int64_t iterations, TraceSink* trace,
                  EvaluatedRings* rings);
  std::unique_ptr<EvaluatedRings> evaluated_rings(const TrainingAlgorithm& algorithm) const;
};

/// Null where collectives must go message by message.
std::unique_ptr<EvaluatedRings> Simulator::evaluated_rings(const TrainingAlgorithm& algorithm) const {
  if (scenario().collectives == CollectiveExecution::messages || scenario().engine != Engine::event)
    return nullptr;
  return EvaluatedRings::make(algorithm.only_traffic(), scenario().workload.bytes_per_element, network(),
                              scenario().message_costs);
}

Outcome Simulator::execute(const TrainingAlgorithm& algorithm, std::int64_t iterations, TraceSink* trace) {
  // Only afterwards is it known whether evaluating the collectives was exact, and a timeline cannot be taken
  // back.
  if (const auto rings = evaluated_rings(algorithm)) {
    Outcome outcome = execute(algorithm, iterations, nullptr, rings.get());
    if (outcome.is_exact && !trace) return outcome;
    if (observers().progress != nullptr) observers().progress->expect_more(iterations * network().workers());
    if (outcome.is_exact) return execute(algorithm, iterations, trace, evaluated_rings(algorithm).get());
  }
  return execute(algorithm, iterations, trace, nullptr);
}

Outcome Simulator::execute(const TrainingAlgorithm& algorithm, std::int64_t iterations, TraceSink* trace,
                           EvaluatedRings* rings) {
  const std::unique_ptr<NetworkModel> model = make_network_model(scenario(), network());
  IterationLog log(network().workers());
  ParticipationLog participation(network().workers());
  TrainingJob job = timed_job(iterations, log, participation);
  job.executor = rings;
  RunStatistics statistics = simulate_on({network(), *model, scenario().message_costs}, algorithm, job, trace,
                                         [this](Rank) { return Replica(scenario().workload); });
  if (rings) rings->add_to(statistics);
  return {std::move(log), std::move(participation), statistics, !rings || rings->is_exact()};
}

Outcome Simulator::measure(std::size_t index, RunResult&) {
  return execute(algorithm(index), scenario().iterations, observers().trace);
}

/// Runs the job once more, message by message and with data. No time depends on data, so the times are those
/// of the run without: those of this one stand for the same bytes to within an element of the task only.
std::optional<LearningResult> Simulator::learn(std::size_t index, const IterationLog& timed) {
  const LearningOptions& learning = *scenario().learning;
  LearningLog learned(learning.task, network().workers(), scenario().iterations, learning.evaluate_every);
  IterationLog log(network().workers());
  const std::unique_ptr<NetworkModel> model = make_network_model(scenario(), network());
  simulate_on({network(), *model, scenario().message_costs}, learning_algorithm(index),
              learning_job(log, learned), nullptr, [this](Rank rank) { return learner(rank); });
  return learning_result(learning, learned.records(), timed);
}

}  // namespace

Result simulate(const Scenario& scenario, const RunObservers& observers) {
  return Simulator(scenario, observers).run_all();
}

}  // namespace starling
