#include <benchmark/benchmark.h>

#include <string>
#include <type_traits>
#include <vector>

#include "algorithms/training/gossip/dpsgd.hpp"
#include "algorithms/training/registry.hpp"
#include "analysis/explanation/explained_simulation.hpp"
#include "benchmarks/own_process.hpp"
#include "benchmarks/star.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "workloads/learning/hyperplane_task.hpp"

namespace starling {
namespace {

/// 200 iterations of ResNet-50 on 64 workers, two of which are late in each iteration; from the scenario to
/// the result.
void partial_averaging(benchmark::State& state, const std::string& algorithm) {
  benchmark_in_own_process(state, 64, [&] {
    const Scenario scenario =
        read_scenario(STARLING_QUICKSTART,
                      {"/cluster/workers=64", "/iterations=200", "/warmup_iterations=0",
                       R"(/workload/imbalance={"kind": "random_delay", "workers": 2, "delay": "320ms"})",
                       "/algorithms=[" + algorithm + "]"});
    const Result result = simulate_and_explain(scenario);
    const RunResult& run = result.runs.front();
    RunStatistics statistics;
    statistics.messages = run.traffic.messages;
    statistics.bytes = run.traffic.bytes;
    statistics.events = result.simulation.events;
    statistics.makespan_s = run.makespan_s;
    return statistics;
  });
}
BENCHMARK_CAPTURE(partial_averaging, eager_solo, R"({"kind": "eager_solo", "bucket_bytes": "25MiB"})")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(partial_averaging, wagma, R"({"kind": "wagma", "bucket_bytes": "25MiB"})")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(partial_averaging, eager_solo_per_tensor, R"({"kind": "eager_solo", "bucket_bytes": 0})")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(partial_averaging, wagma_per_tensor, R"({"kind": "wagma", "bucket_bytes": 0})")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// One layer of 10 MB, 10 ms of computation.
Workload small_workload() {
  Workload workload;
  workload.model.layers.push_back({.name = "layer", .type = "linear", .tensors = 1});
  workload.model.tensors.push_back({.name = "weight", .elements = 2'500'000});
  workload.batch_size = 1;
  workload.forward_s = {4e-3};
  workload.backward_s = {6e-3};
  return workload;
}

/// Trains models without data on a star.
template <typename Model = EventNetwork>
RunStatistics train(const TrainingOptions& options, int workers, std::int64_t iterations) {
  const Workload workload = small_workload();
  const Network network = star(workers);
  Model model(network);
  SimulatedWorld world(network, model);
  const auto algorithm = make_training_algorithm(options, workload, {.workers = workers});
  IterationLog log(workers);
  const TrainingJob job{.workload = workload, .iterations = iterations, .load = {}, .log = log};
  world.run([&](Worker& worker) {
    Replica replica(workload);
    algorithm->run(worker, replica, job);
  });
  return world.statistics();
}

/// D-PSGD on a random 10-regular graph, with overlap (1) or without (0). SimGrid runs a tenth of the
/// iterations: the models are compared by messages per second.
template <typename Model>
void dpsgd_on_random_graph(benchmark::State& state) {
  constexpr int workers = 1024;
  constexpr std::int64_t iterations = std::is_same_v<Model, SimGridNetwork> ? 10 : 100;
  const DpsgdOptions options{.mixing = {.graph = RandomRegularGraph{.degree = 10}},
                             .overlap = state.range(0) == 1};
  benchmark_in_own_process(state, workers, [&] { return train<Model>(options, workers, iterations); });
}
BENCHMARK(dpsgd_on_random_graph<EventNetwork>)
    ->Arg(0)
    ->Arg(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(dpsgd_on_random_graph<FairNetwork>)->Arg(0)->Arg(1)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(dpsgd_on_random_graph<SimGridNetwork>)
    ->Arg(0)
    ->Arg(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void dpsgd_of_100_000_workers(benchmark::State& state) {
  constexpr int workers = 100'000;
  const DpsgdOptions options{.mixing = {.graph = OnePeerExponentialGraph{}}};
  benchmark_in_own_process(state, workers, [&] { return train(options, workers, 10); });
}
BENCHMARK(dpsgd_of_100_000_workers)->UseManualTime()->Unit(benchmark::kMillisecond);

/// A gradient of the published task, for one worker's share of its batch of 2,048, with 1 or 8 workers.
void hyperplane_gradient(benchmark::State& state) {
  const HyperplaneTask task({.batch_size = static_cast<int>(2048 / state.range(0))});
  const std::vector<float> parameters = task.initial_parameters();
  std::vector<float> gradients(parameters.size());
  std::int64_t iteration = 0;
  for ([[maybe_unused]] auto _ : state) task.gradient(0, iteration++, parameters, gradients);
}
BENCHMARK(hyperplane_gradient)->Arg(1)->Arg(8)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace starling
