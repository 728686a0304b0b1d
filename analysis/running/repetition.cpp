#include "analysis/running/repetition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "sim/messages/transport.hpp"

namespace starling {
namespace {

constexpr auto last_to_repeat = static_cast<std::size_t>(iterations_to_repeat) - 1;

/// But for what fair sharing takes for the same moment, 1e-13 of it, in each of up to thousands of messages:
/// means of iterations are known to five times as much.
bool are_alike(double one_s, double other_s, double now_s) {
  constexpr double rounding = 1e-10;
  return std::abs(one_s - other_s) <= rounding * now_s;
}

/// Of so many iterations, that one being the last of them.
double duration_s(std::span<const IterationRecord> records, std::size_t iteration, std::size_t period) {
  return records[iteration].end_s - records[iteration - period].end_s;
}

/// Whether so many iterations took all workers equally long, up to the last one and up to the one before.
bool is_period(std::size_t period, const IterationLog& log) {
  const double first_s = duration_s(log.of(0), last_to_repeat, period);
  for (Rank rank = 0; rank < log.workers(); ++rank)
    for (const std::size_t iteration : {last_to_repeat - 1, last_to_repeat}) {
      const std::span<const IterationRecord> records = log.of(rank);
      if (!are_alike(duration_s(records, iteration, period), first_s, records[last_to_repeat].end_s))
        return false;
    }
  return true;
}

std::optional<std::size_t> shortest_period(const IterationLog& log) {
  for (const std::size_t period : {std::size_t{1}, std::size_t{2}})
    if (is_period(period, log)) return period;
  return std::nullopt;
}

/// Whether all had ended that iteration before anyone had done the forward pass of the next one.
bool is_idle_after(std::size_t iteration, const IterationLog& log) {
  double last_end_s = 0;
  double first_sent_s = std::numeric_limits<double>::infinity();
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const IterationRecord& next = log.of(rank)[last_to_repeat];
    const double end_s = log.of(rank)[iteration].end_s;
    last_end_s = std::max(last_end_s, end_s);
    first_sent_s = std::min(first_sent_s, end_s + next.delay_s + next.forward_s);
  }
  return last_end_s < first_sent_s;
}

/// Of all workers.
double last_end_s(const IterationLog& log, std::size_t iteration) {
  double last_end_s = 0;
  for (Rank rank = 0; rank < log.workers(); ++rank)
    last_end_s = std::max(last_end_s, log.of(rank)[iteration].end_s);
  return last_end_s;
}

/// Of each iteration as many.
bool can_be_divided(const RunStatistics& statistics) {
  constexpr auto iterations = static_cast<std::uint64_t>(iterations_to_repeat);
  return statistics.messages % iterations == 0 && statistics.rendezvous_messages % iterations == 0 &&
         statistics.evaluated_messages % iterations == 0;
}

/// Adds the first iterations of a worker, and then so many of which each repeats the one a period before.
void add(std::span<const IterationRecord> first, std::size_t period, std::int64_t further, Rank rank,
         IterationLog& log) {
  for (const IterationRecord& record : first) log.add(rank, record);
  const double period_s = duration_s(first, last_to_repeat, period);
  for (std::size_t i = 0; i < static_cast<std::size_t>(further); ++i) {
    IterationRecord record = first[last_to_repeat + 1 - period + i % period];
    const double later_s = static_cast<double>(i / period + 1) * period_s;
    record.end_s += later_s;
    record.ready_s += later_s;
    log.add(rank, record);
  }
}

/// Of all iterations; the last one ends so much later.
RunStatistics extended(RunStatistics statistics, std::int64_t iterations, double later_s) {
  const auto in_all = [&](std::uint64_t count) {
    return count / static_cast<std::uint64_t>(iterations_to_repeat) * static_cast<std::uint64_t>(iterations);
  };
  statistics.messages = in_all(statistics.messages);
  statistics.rendezvous_messages = in_all(statistics.rendezvous_messages);
  statistics.evaluated_messages = in_all(statistics.evaluated_messages);
  statistics.bytes *= static_cast<double>(iterations) / static_cast<double>(iterations_to_repeat);
  statistics.makespan_s += later_s;
  return statistics;
}

}  // namespace

bool may_repeat(const Scenario& scenario, const PreparedRun& run) {
  constexpr std::int64_t least_worth = 4 * iterations_to_repeat;
  return run.iterations >= least_worth && scenario.collectives != CollectiveExecution::messages &&
         !may_differ_by_chance(scenario) && scenario.engine == Engine::fair &&
         run.algorithm.is_silent_between_iterations();
}

bool may_differ_by_chance(const Scenario& scenario) {
  const bool is_uneven =
      scenario.engine == Engine::fair && unevenness(scenario.fair, transport(scenario.transport)) > 0;
  return is_uneven || !scenario.imbalance.empty() || scenario.jitter.share > 0 ||
         scenario.message_costs.wake_up_s > 0;
}

std::optional<Repetition> repetition(const Outcome& first, std::int64_t iterations) {
  const IterationLog& log = first.log;
  for (std::size_t iteration = 0; iteration <= last_to_repeat; ++iteration)
    if (!is_idle_after(iteration, log)) return std::nullopt;
  const std::optional<std::size_t> period = shortest_period(log);
  if (!period || !can_be_divided(first.statistics)) return std::nullopt;
  Repetition result{.iterations = iterations,
                    .period = static_cast<std::int64_t>(*period),
                    .begin_s = last_end_s(log, last_to_repeat - *period),
                    .end_s = last_end_s(log, last_to_repeat)};
  const std::int64_t further = result.further_iterations();
  const double rest_s =
      last_end_s(log, last_to_repeat - *period + static_cast<std::size_t>(further) % *period);
  result.run_s = result.end_s +
                 static_cast<double>(further / result.period) * (result.end_s - result.begin_s) +
                 (rest_s - result.begin_s);
  return result;
}

Outcome repeated(const Outcome& first, const Repetition& repetition) {
  const IterationLog& log = first.log;
  Outcome outcome(log.workers(), repetition.iterations);
  for (Rank rank = 0; rank < log.workers(); ++rank)
    add(log.of(rank), static_cast<std::size_t>(repetition.period), repetition.further_iterations(), rank,
        outcome.log);
  outcome.statistics = extended(first.statistics, repetition.iterations, repetition.run_s - repetition.end_s);
  outcome.simulated_iterations = iterations_to_repeat;
  return outcome;
}

}  // namespace starling
