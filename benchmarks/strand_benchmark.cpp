#include <benchmark/benchmark.h>

#include "sim/strands/scheduler.hpp"

namespace starling {
namespace {

constexpr int switches_of_each = 100'000;

/// n strands that take turns: each makes the next one ready and blocks.
void strand_switch(benchmark::State& state) {
  const auto strands = static_cast<std::size_t>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    Scheduler scheduler;
    std::vector<Strand*> ring(strands, nullptr);
    const int turns = switches_of_each / static_cast<int>(strands);
    for (std::size_t i = 0; i < strands; ++i) {
      scheduler.spawn(
          static_cast<Rank>(i), "turn",
          [&scheduler, &ring, i, turns] {
            ring[i] = &scheduler.current();
            Strand*& next = ring[(i + 1) % ring.size()];
            for (int turn = 0; turn < turns; ++turn) {
              const bool is_last_to_start = i + 1 == ring.size();
              if (turn > 0 || is_last_to_start) scheduler.make_ready(*next);
              scheduler.block({.what = WaitsFor::What::event, .name = "its turn"});
            }
            if (i + 1 < ring.size()) scheduler.make_ready(*next);
          },
          false);
    }
    scheduler.run();
  }
  state.SetItemsProcessed(state.iterations() * switches_of_each);
}
BENCHMARK(strand_switch)->Arg(2)->Arg(1 << 10);

/// n strands that sleep for different times: a switch and an agenda entry each.
void strand_sleep(benchmark::State& state) {
  const int strands = static_cast<int>(state.range(0));
  const int turns = switches_of_each / strands;
  for ([[maybe_unused]] auto _ : state) {
    Scheduler scheduler;
    for (int i = 0; i < strands; ++i) {
      scheduler.spawn(
          i, "sleeper",
          [&scheduler, i, turns] {
            for (int turn = 0; turn < turns; ++turn) scheduler.sleep_until(scheduler.now() + 1.0 + i * 1e-3);
          },
          false);
    }
    scheduler.run();
  }
  state.SetItemsProcessed(state.iterations() * turns * strands);
}
BENCHMARK(strand_sleep)->Arg(2)->Arg(1 << 10);

/// Starts n strands that end at once: the cost of a new stack and its pages.
void strand_start(benchmark::State& state) {
  const int strands = static_cast<int>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    Scheduler scheduler;
    for (int i = 0; i < strands; ++i)
      scheduler.spawn(
          i, "short", [] {}, false);
    scheduler.run();
  }
  state.SetItemsProcessed(state.iterations() * strands);
}
BENCHMARK(strand_start)->Arg(1 << 10);

}  // namespace
}  // namespace starling
