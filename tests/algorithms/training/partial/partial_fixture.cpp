#include "partial_fixture.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <utility>

#include "sim/networks/event/event_network.hpp"
#include "sim/random.hpp"

namespace starling {
namespace {

PartialRun run(const TrainingAlgorithm& algorithm, const Workload& workload, const TrainingSetup& setup,
               std::uint64_t seed, const MessageEnds& ends) {
  const StarCluster& cluster = setup.cluster;
  const Network network = cluster.network();
  EventNetwork model(network);
  SimulatedWorld world(network, model,
                       {.overhead_s = ends.overhead_s,
                        .reduction_s_per_byte = cluster.gamma_s_per_byte,
                        .eager_threshold_bytes = ends.eager_threshold_bytes},
                       setup.trace);
  ParticipationLog participation(cluster.workers);
  TrainingSetup recorded = setup;
  recorded.participation = &participation;
  Trained trained = train_in(world, cluster.workers, algorithm, workload, recorded, seed);
  return {.trained = std::move(trained), .participation = std::move(participation)};
}

}  // namespace

Workload single_tensor(std::int64_t elements, double compute_s) {
  return workload_of({{{elements}, compute_s / 3, 2 * compute_s / 3}});
}

double PartialRun::mean_iteration_s(std::int64_t warmup) const {
  double sum_s = 0;
  for (Rank rank = 0; rank < trained.log.workers(); ++rank) {
    const auto& records = trained.log.of(rank);
    const double start_s = warmup > 0 ? records[static_cast<std::size_t>(warmup - 1)].end_s : 0;
    sum_s += (records.back().end_s - start_s) /
             static_cast<double>(records.size() - static_cast<std::size_t>(warmup));
  }
  return sum_s / trained.log.workers();
}

PartialRun train(const EagerOptions& options, const Workload& workload, const TrainingSetup& setup,
                 std::uint64_t seed, const MessageEnds& ends) {
  return run(*make_algorithm(options, workload, setup.cluster.facts()), workload, setup, seed, ends);
}

PartialRun train(const WagmaOptions& options, const Workload& workload, const TrainingSetup& setup,
                 std::uint64_t seed, const MessageEnds& ends) {
  return run(*make_algorithm(options, workload, setup.cluster.facts()), workload, setup, seed, ends);
}

RunStatistics run_on(const StarCluster& cluster, const std::function<void(Worker&)>& body) {
  const Network network = cluster.network();
  EventNetwork model(network);
  SimulatedWorld world(network, model, {.reduction_s_per_byte = cluster.gamma_s_per_byte});
  world.run(body);
  return world.statistics();
}

std::function<Load(Rank, std::int64_t)> independent_delays(double probability, double delay_s,
                                                           std::uint64_t seed) {
  const CounterRandom random(seed, Purpose::imbalance);
  return [=](Rank rank, std::int64_t iteration) {
    const bool is_late =
        random.uniform(static_cast<std::uint32_t>(rank), static_cast<std::uint64_t>(iteration)) < probability;
    return Load{.delay_s = is_late ? delay_s : 0, .factor = 1};
  };
}

double periods_of_slowest_s(const TrainingSetup& setup, double base_s, std::int64_t period) {
  double sum_s = 0;
  for (std::int64_t start = 0; start < setup.iterations; start += period) {
    double slowest_s = 0;
    for (Rank rank = 0; rank < setup.cluster.workers; ++rank) {
      double delays_s = 0;
      for (std::int64_t i = start; i < start + period; ++i) delays_s += setup.load(rank, i).delay_s;
      slowest_s = std::max(slowest_s, delays_s);
    }
    sum_s += slowest_s;
  }
  return base_s + sum_s / static_cast<double>(setup.iterations);
}

double expected_periods_s(int workers, double probability, double delay_s, double base_s, int period) {
  const boost::math::binomial_distribution<> delays(period, probability);
  double most = 0;  // Σ P(most > k)
  for (int k = 0; k < period; ++k) most += 1 - std::pow(boost::math::cdf(delays, k), workers);
  return base_s + most * delay_s / period;
}

}  // namespace starling
