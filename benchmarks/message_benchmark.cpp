#include <benchmark/benchmark.h>

#include <vector>

#include "benchmarks/star.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/simulated/simulated_world.hpp"

namespace starling {
namespace {

/// A worker posts n receives with distinct tags; the messages arrive in the opposite order.
void match_many_receives(benchmark::State& state) {
  const int receives = static_cast<int>(state.range(0));
  const Network network = star(2);
  const Buffer buffer = Buffer::sized(1);
  for ([[maybe_unused]] auto _ : state) {
    EventNetwork model(network);
    SimulatedWorld world(network, model);
    world.run([&](Worker& worker) {
      std::vector<Request> requests;
      for (Tag tag = 0; tag < receives; ++tag) {
        requests.push_back(worker.rank() == 0 ? worker.isend(buffer, 1, receives - 1 - tag)
                                              : worker.irecv(buffer, 0, tag));
      }
      for (Request& request : requests) worker.wait(request);
    });
  }
  state.SetItemsProcessed(state.iterations() * receives);
}
BENCHMARK(match_many_receives)->Arg(1 << 4)->Arg(1 << 10)->Arg(1 << 16)->Unit(benchmark::kMicrosecond);

/// n messages with distinct tags that arrive before their receives are posted, in the opposite order.
void match_many_unexpected(benchmark::State& state) {
  const int messages = static_cast<int>(state.range(0));
  const Network network = star(2);
  const Buffer buffer = Buffer::sized(1);
  for ([[maybe_unused]] auto _ : state) {
    EventNetwork model(network);
    SimulatedWorld world(network, model);
    world.run([&](Worker& worker) {
      if (worker.rank() == 0) {
        for (Tag tag = 0; tag < messages; ++tag) worker.send(buffer, 1, tag);
      } else {
        worker.compute(1.0);
        for (Tag tag = messages; tag-- > 0;) worker.receive(buffer, 0, tag);
      }
    });
  }
  state.SetItemsProcessed(state.iterations() * messages);
}
BENCHMARK(match_many_unexpected)->Arg(1 << 4)->Arg(1 << 10)->Arg(1 << 16)->Unit(benchmark::kMicrosecond);

/// Every worker sends to all other workers and receives from all of them, concurrently.
void all_to_all(benchmark::State& state) {
  const int workers = static_cast<int>(state.range(0));
  const Network network = star(workers);
  const Buffer buffer = Buffer::sized(1000);
  for ([[maybe_unused]] auto _ : state) {
    EventNetwork model(network);
    SimulatedWorld world(network, model);
    world.run([&](Worker& worker) {
      std::vector<Request> requests;
      for (int distance = 1; distance < workers; ++distance) {
        requests.push_back(worker.irecv(buffer, (worker.rank() + workers - distance) % workers, 0));
        requests.push_back(worker.isend(buffer, (worker.rank() + distance) % workers, 0));
      }
      for (Request& request : requests) worker.wait(request);
    });
  }
  state.SetItemsProcessed(state.iterations() * workers * (workers - 1));
}
BENCHMARK(all_to_all)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace starling
