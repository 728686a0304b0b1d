#include "analysis/running/free_run.hpp"

#include "analysis/running/simulated_machine.hpp"

namespace starling {

Network free_network(int workers) {
  constexpr LinkOptions free_link{.bandwidth_Bps = 1e18, .latency_s = 0};
  return build_network({.workers = workers, .network = {.kind = StarOptions{.link = free_link}}});
}

MessageCosts free_costs(const MessageCosts& costs) {
  return {.eager_threshold_bytes = costs.eager_threshold_bytes,
          .are_collectives_eager = costs.are_collectives_eager};
}

FreeAlgorithm::FreeAlgorithm(const ScenarioJob& job, std::size_t index)
    : own_(job.run(index)),
      algorithm_(job.options(index).without_operation_cost().make(own_.workload, job.facts())) {}

PreparedRun FreeAlgorithm::run() const {
  return {.algorithm = *algorithm_,
          .workload = own_.workload,
          .iterations = own_.iterations,
          .seed = own_.seed,
          .load = own_.load};
}

Outcome free_run(const ScenarioJob& job, std::size_t index, OptionalProgress progress) {
  const Network network = free_network(job.workers());
  Scenario scenario = job.scenario();
  scenario.engine = Engine::event;
  scenario.message_costs = free_costs(job.scenario().message_costs);
  if (!job.options(index).traits().is_synchronous) scenario.collectives = CollectiveExecution::messages;
  return SimulatedMachine(scenario, network, progress).run_trial(FreeAlgorithm(job, index).run());
}

}  // namespace starling
