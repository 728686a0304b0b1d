#include <benchmark/benchmark.h>

#include "analysis/explanation/explained_simulation.hpp"
#include "benchmarks/own_process.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {
namespace {

/// The shipped quickstart scenario, from its JSON file to the result, with all algorithms, without writing
/// files.
void quickstart(benchmark::State& state, Watching watching) {
  benchmark_in_own_process(state, 16, [watching] {
    const Result result = simulate_and_explain(read_scenario(STARLING_QUICKSTART), {.watching = watching});
    RunStatistics statistics;
    for (const RunResult& run : result.runs) {
      statistics.messages += run.traffic.messages;
      statistics.bytes += run.traffic.bytes;
      statistics.makespan_s += run.makespan_s;
    }
    statistics.events = result.simulation.events;
    return statistics;
  });
}
BENCHMARK_CAPTURE(quickstart, plain, {})->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(quickstart, links, {.links = true})->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(quickstart, critical_path, {.critical_path = true})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace starling
