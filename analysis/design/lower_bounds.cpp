#include "analysis/design/lower_bounds.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/training/synchronous/horovod.hpp"
#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/running/free_run.hpp"
#include "analysis/statistics/estimate.hpp"
#include "sim/networks/small_message.hpp"
#include "topologies/placement/optimized_placement.hpp"

namespace starling {
namespace {

/// Whether it does not depend on the network for whom workers wait.
bool waits_in_fixed_order(const TrainingOptions& options) {
  return is_synchronous(options) || options.has_mixing_matrix();
}

/// Of every worker, what it does itself in its mean counted iteration.
std::vector<double> own_work_s(const IterationLog& log, std::int64_t warmup_iterations) {
  const std::size_t first = first_counted(log, warmup_iterations);
  std::vector<double> work_s;
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    double sum_s = 0;
    for (const IterationRecord& record : log.of(rank).subspan(first))
      sum_s += record.delay_s + record.forward_s + record.backward_s + record.update_s;
    work_s.push_back(sum_s / static_cast<double>(iterations_of(log) - first));
  }
  return work_s;
}

/// The mean over counted iterations of what the worker that is first to have gradients does before.
double least_before_sending_s(const IterationLog& log, std::int64_t warmup_iterations,
                              bool is_after_backward) {
  const std::size_t first = first_counted(log, warmup_iterations);
  std::vector<double> least_s(iterations_of(log) - first);
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const auto records = log.of(rank).subspan(first);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const double before_s =
          records[i].delay_s + records[i].forward_s + (is_after_backward ? records[i].backward_s : 0);
      least_s[i] = rank == 0 ? before_s : std::min(least_s[i], before_s);
    }
  }
  return plain_mean(least_s);
}

/// The greater part of a message that does not slip between others.
double bytes_that_wait(const RunStatistics& statistics) {
  return std::max(0.0, statistics.bytes - small_message_bytes * static_cast<double>(statistics.messages));
}

}  // namespace

LowerBounds::Needs LowerBounds::needs_of(const ScenarioJob& job) {
  const TrainingOptions& options = job.options(0);
  const std::int64_t warmup_iterations = job.scenario().warmup_iterations;
  const Outcome free = free_run(job, 0);
  if (!waits_in_fixed_order(options)) {
    const std::vector<double> work_s = own_work_s(free.log, warmup_iterations);
    return {.least_s = plain_mean(work_s), .least_of_samples_s = harmonic_mean(work_s)};
  }
  Needs needs{.least_s = plain_mean(mean_durations_s(free.log, warmup_iterations))};
  needs.least_of_samples_s = is_synchronous(options)
                                 ? needs.least_s
                                 : harmonic_mean(mean_times_of_workers_s(free.log, warmup_iterations));
  if (is_synchronous(options) && !options.traits().ends_before_its_messages)
    needs.idle_s =
        least_before_sending_s(free.log, warmup_iterations, options.get_if<AllreduceOptions>() != nullptr);
  // Warm-up may end at another moment of Horovod's cycles than without a network: by less than one in all.
  const auto counted = static_cast<double>(job.iterations(0) - warmup_iterations);
  if (const auto* horovod = options.get_if<HorovodOptions>()) {
    needs.least_s -= horovod->cycle_time_s / counted;
    needs.least_of_samples_s -= horovod->cycle_time_s / counted;
  }
  const std::int64_t period = options.pattern_period(job.facts());
  if (period > ScenarioJob::most_iterations_of_pattern) return needs;
  needs.traffic = job.traffic(0);
  // What is on its way when counting begins or ends, or is not sent in a part of a pattern, is a pattern's at
  // the most.
  const double bytes = bytes_that_wait(free.statistics) / static_cast<double>(job.iterations(0)) *
                       std::max(0.0, counted - static_cast<double>(period)) / counted;
  for (RankTraffic& pair : needs.traffic) pair.bytes *= bytes;
  return needs;
}

double LowerBounds::bound_s(std::int64_t combination, double Needs::*least_s) {
  std::optional<Scenario> scenario;
  std::optional<ScenarioJob> job;  // of the first seed; its network is that of all of them
  double link_s = 0;
  double sum_s = 0;
  for (int replication = 0; replication < plan_.seeds(); ++replication) {
    const ScenarioDocument document = plan_.document(combination, replication);
    if (replication == 0) {
      scenario = read_scenario(document);
      job.emplace(*scenario);
    }
    const Needs& needs = needs_of(document, replication == 0 ? &*job : nullptr);
    if (replication == 0) link_s = placement_cost(needs.traffic, job->network()).bottleneck_s;
    sum_s += std::max(needs.*least_s, needs.idle_s + link_s);
  }
  return sum_s / plan_.seeds();
}

const LowerBounds::Needs& LowerBounds::needs_of(const ScenarioDocument& document, const ScenarioJob* job) {
  nlohmann::json key = document.json;
  for (const char* of_network : {"network", "placement", "transport"}) key["cluster"].erase(of_network);
  const auto found = needs_.find(key.dump());
  if (found != needs_.end()) return found->second;
  std::optional<Scenario> scenario;
  std::optional<ScenarioJob> own;
  if (job == nullptr) {
    scenario = read_scenario(document);
    own.emplace(*scenario);
    job = &*own;
  }
  return needs_.emplace(key.dump(), needs_of(*job)).first->second;
}

}  // namespace starling
