#include "analysis/running/run_facts.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/statistics/sample_series.hpp"
#include "base/numbers/common_period.hpp"
#include "sim/messages/transport.hpp"
#include "sim/networks/fair/fair_options.hpp"
#include "topologies/graphs/spectral_gap.hpp"

namespace starling {

std::vector<int> hosts_by_rank(const Routes& routes) {
  std::vector<int> hosts(static_cast<std::size_t>(routes.workers()));
  for (Rank rank = 0; rank < routes.workers(); ++rank)
    hosts[static_cast<std::size_t>(rank)] = routes.host_of(rank);
  return hosts;
}

std::int64_t counted_period(const TrainingOptions& options, const ClusterFacts& facts,
                            const std::vector<Imbalance>& causes) {
  constexpr std::int64_t longest = 1000;
  std::int64_t period = 1;
  const auto add = [&](std::int64_t part) {
    if (part <= longest) period = common_period(period, part);
  };
  add(options.pattern_period(facts));
  for (const Imbalance& cause : causes) add(nature_of(cause).period);
  return period <= longest ? period : 1;
}

std::int64_t least_batch(const std::vector<Imbalance>& causes, int workers) {
  constexpr double times_memory = 10;
  constexpr double events_of_run = 10;
  constexpr double most = 0x1p40;
  double least = 1;
  for (const Imbalance& cause : causes) {
    // A chain with a memory of one iteration counts as independent.
    const CauseNature nature = nature_of(cause);
    if (nature.memory_iterations > 1) least = std::max(least, times_memory * nature.memory_iterations);
    if (const double events = workers * nature.rare_events_per_iteration; events > 0)
      least = std::max(least, events_of_run / static_cast<double>(least_series(1, 1)) / events);
  }
  return static_cast<std::int64_t>(std::ceil(std::min(least, most)));
}

GapFacts gap_facts(const TrainingOptions& options, const ClusterFacts& facts) {
  const MixingMatrix matrix = *options.mixing_matrix(facts);
  GapFacts gap{.period = matrix.graph().period()};
  if (facts.workers > most_workers_with_spectral_gap) return gap;
  try {
    gap.per_period = spectral_gap(matrix);
    gap.per_iteration = spectral_gap_per_iteration(*gap.per_period, gap.period);
  } catch (const std::runtime_error&) {  // no convergence
  }
  return gap;
}

ComputeFacts compute_facts(const Workload& workload, bool is_simulated) {
  ComputeFacts facts{.law = workload.compute_source,
                     .forward_s = workload.forward_total_s(),
                     .backward_s = workload.backward_total_s()};
  if (workload.accumulation_steps > 1)
    facts.law += fmt::format("; {} passes per iteration, each of which takes these times",
                             workload.accumulation_steps);
  if (workload.communication_slowdown > 0)
    facts.law += is_simulated
                     ? fmt::format("; {:g} times as long while a worker communicates",
                                   1 + workload.communication_slowdown)
                     : "; slowed down by contention on the machine itself, not by communication_slowdown";
  return facts;
}

double queued_at_first_link(const Scenario& scenario) {
  const TcpOptions& tcp = scenario.tcp;
  if (scenario.fair.queued_at_first_link) return *scenario.fair.queued_at_first_link;
  if (!transport(scenario.transport).is_tcp) return 0;
  return std::min(1.0, tcp.bytes_at_first_link() / tcp.window_bytes);
}

TransportFacts transport_facts(const Scenario& scenario, const Network& network) {
  TransportFacts facts{
      .name = scenario.transport, .reason = scenario.transport_reason, .costs = scenario.message_costs};
  if (network.is_limited_by_hosts()) facts.host_rate_Bps = scenario.host_costs.rate_Bps;
  facts.are_sums_free =
      transport(scenario.transport).sums_on_cores && scenario.message_costs.reduction_s_per_byte == 0;
  if (scenario.engine != Engine::fair) return facts;
  facts.unevenness = unevenness(scenario.fair, transport(scenario.transport));
  facts.queued_at_first_link = queued_at_first_link(scenario);
  return facts;
}

std::optional<PlacementFacts> placement_facts(const Scenario& scenario, const Routes& routes) {
  const PlacementOptions& options = scenario.cluster.placement;
  if (is_block(options)) return std::nullopt;
  PlacementFacts facts{.name = shown_name(options), .hosts = hosts_by_rank(routes)};
  if (facts.name == optimized_placement)
    for (const ScenarioAlgorithm& algorithm : scenario.algorithms)
      facts.optimized_for.push_back(algorithm.label);
  return facts;
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace starling
