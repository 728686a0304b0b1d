#include <benchmark/benchmark.h>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/collectives/runner.hpp"
#include "benchmarks/own_process.hpp"
#include "benchmarks/star.hpp"
#include "sim/event.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/queue.hpp"
#include "sim/simulated/simulated_world.hpp"

namespace starling {
namespace {

constexpr int buckets = 10;
constexpr double backward_block_s = 10e-3;
constexpr std::int64_t elements_of_10_MB = 2'500'000;

/// Ten blocks of a backward pass; a second strand all-reduces the bucket of each block as soon as it is
/// ready.
void run_iteration(Worker& worker, const Schedule& schedule) {
  Queue<int> ready(worker, "gradients");
  Event reduced(worker, "all gradients reduced");
  worker.spawn("communication", [&] {
    while (const auto bucket = ready.pop())
      run_schedule(worker, schedule, Buffer::sized(elements_of_10_MB), *bucket);
    reduced.set();
  });
  for (int bucket = 0; bucket < buckets; ++bucket) {
    worker.compute(backward_block_s);
    ready.push(bucket);
  }
  ready.close();
  reduced.wait();
}

/// An iteration that overlaps the ring all-reduces of ten buckets of 10 MB with the backward pass.
void ten_bucket_iteration(benchmark::State& state) {
  const int workers = static_cast<int>(state.range(0));
  benchmark_in_own_process(state, workers, [&] {
    const Network network = star(workers);
    EventNetwork model(network);
    SimulatedWorld world(network, model);
    const auto schedule = make_allreduce(CollectiveKind::ring, workers, elements_of_10_MB);
    world.run([&](Worker& worker) { run_iteration(worker, *schedule); });
    return world.statistics();
  });
}
BENCHMARK(ten_bucket_iteration)->Arg(64)->Arg(1024)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace starling
