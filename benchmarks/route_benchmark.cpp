#include <benchmark/benchmark.h>

#include <utility>
#include <vector>

#include "benchmarks/star.hpp"
#include "sim/random.hpp"

namespace starling {
namespace {

constexpr int routed_workers = 1024;

ClusterOptions fat_tree_cluster() {
  ClusterOptions cluster;
  cluster.workers = routed_workers;
  cluster.network.kind = FatTreeOptions{.k = 16, .link = {.bandwidth_Bps = 12.5e9, .latency_s = 0.5e-6}};
  return cluster;
}

std::vector<std::pair<Rank, Rank>> random_pairs(std::size_t count) {
  const CounterRandom random(1, Purpose::schedule);
  std::vector<std::pair<Rank, Rank>> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const auto source = static_cast<Rank>(random.below(routed_workers, 0, i));
    const auto distance = static_cast<Rank>(1 + random.below(routed_workers - 1, 1, i));
    pairs.emplace_back(source, (source + distance) % routed_workers);
  }
  return pairs;
}

/// Looks up routes that have been looked up before.
void route_lookup(benchmark::State& state, const ClusterOptions& cluster) {
  const Network network = build_network(cluster);
  const auto pairs = random_pairs(1 << 14);
  for (const auto& [source, destination] : pairs) network.route(source, destination);
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto& [source, destination] = pairs[next++ % pairs.size()];
    benchmark::DoNotOptimize(network.route(source, destination));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(route_lookup, star, star_cluster(routed_workers));
BENCHMARK_CAPTURE(route_lookup, fat_tree, fat_tree_cluster());

/// Builds a network of 1,024 workers and looks up its first 16,384 routes.
void route_first_time(benchmark::State& state, const ClusterOptions& cluster) {
  const auto pairs = random_pairs(1 << 14);
  for ([[maybe_unused]] auto _ : state) {
    const Network network = build_network(cluster);
    for (const auto& [source, destination] : pairs)
      benchmark::DoNotOptimize(network.route(source, destination));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pairs.size()));
}
BENCHMARK_CAPTURE(route_first_time, star, star_cluster(routed_workers))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(route_first_time, fat_tree, fat_tree_cluster())->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace starling
