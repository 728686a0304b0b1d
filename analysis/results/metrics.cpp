#include "analysis/results/metrics.hpp"

#include <algorithm>
#include <span>

#include "analysis/statistics/estimate.hpp"
#include "base/errors.hpp"
#include "workloads/records/large_memory.hpp"

namespace starling {
namespace {

double end_before(std::span<const IterationRecord> records, std::size_t iteration) {
  return iteration == 0 ? 0.0 : records[iteration - 1].end_s;
}

/// Takes one number for each record of the log, so it may be nearly as large.
LargeArray<double> ascending_durations(const IterationLog& log, std::size_t first) {
  LargeArray<double> durations(static_cast<std::size_t>(log.workers()) * (iterations_of(log) - first));
  auto duration = durations.values().begin();
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const std::span<const IterationRecord> records = log.of(rank);
    for (std::size_t i = first; i < records.size(); ++i)
      *duration++ = records[i].end_s - end_before(records, i);
  }
  std::ranges::sort(durations.values());
  return durations;
}

double mean_iteration_time(const IterationLog& log, std::size_t first) {
  double sum = 0;
  for (Rank rank = 0; rank < log.workers(); ++rank)
    sum += log.of(rank).back().end_s - end_before(log.of(rank), first);
  return sum / log.workers() / static_cast<double>(iterations_of(log) - first);
}

void add(Breakdown& sum, const IterationRecord& record) {
  sum.delay += record.delay_s;
  sum.forward += record.forward_s;
  sum.backward += record.backward_s;
  sum.update += record.update_s;
  sum.exposed_communication += record.blocked_s - record.imbalance_wait_s;
  sum.imbalance_wait += record.imbalance_wait_s;
}

}  // namespace

std::size_t iterations_of(const IterationLog& log) {
  const std::size_t iterations = log.of(0).size();
  for (Rank rank = 1; rank < log.workers(); ++rank) STARLING_INVARIANT(log.of(rank).size() == iterations);
  return iterations;
}

IterationTime iteration_time(const IterationLog& log, std::int64_t warmup_iterations) {
  const std::size_t first = first_counted(log, warmup_iterations);
  LargeArray<double> ascending = ascending_durations(log, first);
  const std::span<const double> durations = ascending.values();
  const double mean = mean_iteration_time(log, first);
  return {.mean = mean,
          .std = standard_deviation(durations, mean),
          .p5 = quantile(durations, 0.05),
          .p50 = quantile(durations, 0.5),
          .p95 = quantile(durations, 0.95),
          .min = durations.front(),
          .max = durations.back()};
}

std::vector<double> mean_times_of_workers_s(const IterationLog& log, std::int64_t warmup_iterations) {
  const std::size_t first = first_counted(log, warmup_iterations);
  const auto iterations = static_cast<double>(iterations_of(log) - first);
  std::vector<double> times_s;
  for (Rank rank = 0; rank < log.workers(); ++rank)
    times_s.push_back((log.of(rank).back().end_s - end_before(log.of(rank), first)) / iterations);
  return times_s;
}

std::vector<double> mean_durations_s(const IterationLog& log, std::int64_t warmup_iterations) {
  const std::size_t first = first_counted(log, warmup_iterations);
  std::vector<double> durations(iterations_of(log) - first);
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const std::span<const IterationRecord> records = log.of(rank);
    for (std::size_t i = first; i < records.size(); ++i)
      durations[i - first] += (records[i].end_s - end_before(records, i)) / log.workers();
  }
  return durations;
}

Breakdown breakdown(const IterationLog& log, std::int64_t warmup_iterations) {
  const std::size_t first = first_counted(log, warmup_iterations);
  const std::size_t iterations = iterations_of(log);
  Breakdown sum;
  for (Rank rank = 0; rank < log.workers(); ++rank)
    for (const IterationRecord& record : log.of(rank).subspan(first)) add(sum, record);

  const double samples = static_cast<double>(log.workers()) * static_cast<double>(iterations - first);
  for (const BreakdownPart& part : breakdown_parts) sum.*part.seconds /= samples;
  return sum;
}

std::size_t first_counted(const IterationLog& log, std::int64_t warmup_iterations) {
  STARLING_INVARIANT(warmup_iterations >= 0);
  const auto first = static_cast<std::size_t>(warmup_iterations);
  STARLING_INVARIANT(first < iterations_of(log));
  return first;
}

}  // namespace starling
