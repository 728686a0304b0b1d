#include <benchmark/benchmark.h>

#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"
#include "algorithms/collectives/runner.hpp"
#include "benchmarks/own_process.hpp"
#include "benchmarks/star.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/networks/tcp/tcp_network.hpp"
#include "sim/simulated/simulated_world.hpp"

namespace starling {
namespace {

constexpr std::int64_t elements_of_100_MB = 25'000'000;

template <typename Model>
RunStatistics ring_allreduce_of_100_MB(int workers) {
  const Network network = star(workers);
  Model model(network);
  SimulatedWorld world(network, model);
  const auto schedule = make_allreduce(CollectiveKind::ring, workers, elements_of_100_MB);
  const Buffer gradient = Buffer::sized(elements_of_100_MB);
  world.run([&](Worker& worker) { run_schedule(worker, *schedule, gradient, 0); });
  return world.statistics();
}

/// A ring all-reduce simulated message by message, from building the network to the result.
template <typename Model>
void ring_allreduce(benchmark::State& state) {
  const int workers = static_cast<int>(state.range(0));
  benchmark_in_own_process(state, workers, [&] { return ring_allreduce_of_100_MB<Model>(workers); });
}
BENCHMARK(ring_allreduce<EventNetwork>)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Arg(4096)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ring_allreduce<FairNetwork>)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Arg(4096)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ring_allreduce<SimGridNetwork>)->Arg(64)->Arg(256)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ring_allreduce<TcpNetwork>)->Arg(64)->Arg(256)->UseManualTime()->Unit(benchmark::kMillisecond);

/// The same all-reduce, evaluated. Items are the messages that need not be sent.
void evaluate_ring(benchmark::State& state) {
  const int workers = static_cast<int>(state.range(0));
  const Network network = star(workers);
  const RingSchedule ring(RingSchedule::Phase::allreduce, workers, elements_of_100_MB);
  const std::vector<double> begin_s(static_cast<std::size_t>(workers), 0.0);
  std::uint64_t messages = 0;
  for ([[maybe_unused]] auto _ : state) {
    FreeRoutes routes(network, {}, {});
    RingEvaluator evaluator = *RingEvaluator::make(routes);
    messages = evaluator.evaluate(ring, begin_s, Buffer::bytes_per_float).messages;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(messages));
}
BENCHMARK(evaluate_ring)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

/// Generates the rounds of a schedule, one after the other.
void schedule_round(benchmark::State& state, CollectiveKind kind) {
  constexpr int ranks = 1024;
  CollectiveOptions options;
  options.workers_per_host = 8;
  const auto schedule = make_allreduce(kind, ranks, elements_of_100_MB, options);
  Rank rank = 0;
  int index = 0;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(schedule->round(rank, index));
    if (++index == schedule->rounds(rank)) {
      index = 0;
      rank = (rank + 1) % ranks;
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(schedule_round, ring, CollectiveKind::ring);
BENCHMARK_CAPTURE(schedule_round, recursive_doubling, CollectiveKind::recursive_doubling);
BENCHMARK_CAPTURE(schedule_round, halving_doubling, CollectiveKind::halving_doubling);
BENCHMARK_CAPTURE(schedule_round, double_tree, CollectiveKind::double_tree);
BENCHMARK_CAPTURE(schedule_round, hierarchical, CollectiveKind::hierarchical);

}  // namespace
}  // namespace starling
