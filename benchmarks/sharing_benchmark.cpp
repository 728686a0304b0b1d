#include <benchmark/benchmark.h>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/collectives/runner.hpp"
#include "benchmarks/own_process.hpp"
#include "benchmarks/star.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/simulated/simulated_world.hpp"

// Messages that compete for links, where the costs of the network models differ most.

namespace starling {
namespace {

/// Racks of 16 hosts, whose four uplinks carry a quarter of what the hosts can send.
Network oversubscribed(int workers) {
  ClusterOptions cluster;
  cluster.workers = workers;
  cluster.network.kind = LeafSpineOptions{.hosts_per_leaf = 16,
                                          .spines = 4,
                                          .link = {.bandwidth_Bps = 12.5e9, .latency_s = 0.5e-6},
                                          .oversubscription = 4.0};
  return build_network(cluster);
}

/// Ten all-reduces of 100 MB, which the workers begin up to 1 ms apart.
template <typename Model>
RunStatistics halving_doubling_of_100_MB(int workers) {
  const Network network = oversubscribed(workers);
  Model model(network);
  SimulatedWorld world(network, model);
  const auto schedule = make_allreduce(CollectiveKind::halving_doubling, workers, 25'000'000);
  const Buffer gradient = Buffer::sized(25'000'000);
  world.run([&](Worker& worker) {
    for (int round = 0; round < 10; ++round) {
      worker.compute(1e-3 * ((worker.rank() * 37 + round * 11) % workers) / workers);
      run_schedule(worker, *schedule, gradient, 0);
    }
  });
  return world.statistics();
}

template <typename Model>
void halving_doubling_on_leaf_spine(benchmark::State& state) {
  constexpr int workers = 256;
  benchmark_in_own_process(state, workers, [] { return halving_doubling_of_100_MB<Model>(workers); });
}
BENCHMARK(halving_doubling_on_leaf_spine<EventNetwork>)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(halving_doubling_on_leaf_spine<FairNetwork>)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(halving_doubling_on_leaf_spine<SimGridNetwork>)->UseManualTime()->Unit(benchmark::kMillisecond);

constexpr int messages_of_a_sender = 100;

Buffer message_of(Rank sender, int message) {
  return Buffer::sized(10'000 * (10 + (7 * sender + 13 * message) % 31));
}

void send_all(Worker& worker, Rank sink) {
  for (int message = 0; message < messages_of_a_sender; ++message) {
    worker.send(message_of(worker.rank(), message), sink, message);
    worker.wait_notification();
  }
}

void receive_all(Worker& worker, Rank sender) {
  for (int message = 0; message < messages_of_a_sender; ++message) {
    worker.receive(message_of(sender, message), sender, message);
    worker.notify(sender, message);
  }
}

/// All workers but the last send messages of different sizes to it, each once the receipt of the previous
/// one has been notified.
template <typename Model>
RunStatistics send_to_the_last(int workers) {
  const Network network = star(workers);
  Model model(network);
  SimulatedWorld world(network, model);
  world.run([&](Worker& worker) {
    const Rank sink = worker.world_size() - 1;
    if (worker.rank() < sink) return send_all(worker, sink);
    for (Rank sender = 0; sender < sink; ++sender)
      worker.spawn("receiver", [&worker, sender] { receive_all(worker, sender); });
  });
  return world.statistics();
}

template <typename Model>
void incast(benchmark::State& state) {
  constexpr int workers = 256;
  benchmark_in_own_process(state, workers, [] { return send_to_the_last<Model>(workers); });
}
BENCHMARK(incast<EventNetwork>)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(incast<FairNetwork>)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(incast<SimGridNetwork>)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace starling
