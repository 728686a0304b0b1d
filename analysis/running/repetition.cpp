#include "analysis/running/repetition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "sim/messages/transport.hpp"

namespace starling {
namespace {

constexpr std::int64_t least_iterations = 5;

/// How many multiples of the traffic's period are tried: as many as the run has time to repeat, at most 8.
std::int64_t periods_to_try(const SearchedRun& run) {
  constexpr std::int64_t most = 8;
  return std::clamp<std::int64_t>(run.iterations / (2 * run.traffic_period), 1, most);
}

/// How many iterations are kept to compare later ones with.
std::int64_t kept_iterations(const SearchedRun& run) { return periods_to_try(run) * run.traffic_period + 2; }

/// By how much durations may differ and count as equal: a share of the mean iteration so far. Fair sharing
/// takes moments for the same up to 1e-13 of them, in each of up to thousands of messages.
double tolerance_s(double now_s, std::int64_t iterations) {
  constexpr double rounding_of_iterations = 5e-10;
  return rounding_of_iterations * now_s / static_cast<double>(iterations);
}

}  // namespace

bool may_repeat(const Scenario& scenario, const PreparedRun& run) {
  constexpr std::int64_t least_worth = 4 * least_iterations;
  // In worker iterations of 16 bytes; and iterations that may be kept of every worker, whatever their number.
  constexpr std::int64_t most_kept = 4'000'000;
  constexpr std::int64_t few_kept = 16;
  const std::int64_t period = run.algorithm.quiescent_period();
  if (period <= 0) return false;
  if (run.iterations < least_worth || run.iterations / 2 < least_iterations_to_repeat(run)) return false;
  const std::int64_t kept = kept_iterations({.iterations = run.iterations, .traffic_period = period});
  if (kept > std::max(few_kept, most_kept / std::max(1, scenario.cluster.workers))) return false;
  if (scenario.collectives == CollectiveExecution::messages || scenario.engine != Engine::fair) return false;
  return !may_differ_by_chance(scenario);
}

bool may_differ_by_chance(const Scenario& scenario) {
  const bool is_uneven =
      scenario.engine == Engine::fair && unevenness(scenario.fair, transport(scenario.transport)) > 0;
  return is_uneven || !scenario.imbalance.empty() || scenario.jitter.share > 0 ||
         scenario.message_costs.wake_up_s > 0;
}

std::int64_t least_iterations_to_repeat(const PreparedRun& run) {
  return std::max(least_iterations, 2 * run.algorithm.quiescent_period());
}

std::int64_t most_iterations_to_repeat(const PreparedRun& run) {
  constexpr std::int64_t most_periods = 20;
  return std::min(run.iterations / most_periods, run.algorithm.quiescent_period()) * most_periods;
}

RepetitionSearch::RepetitionSearch(const SearchedRun& run)
    : run_(run),
      agreements_(static_cast<std::size_t>(periods_to_try(run))),
      boundaries_(static_cast<std::size_t>(kept_iterations(run))) {
  for (Boundary& boundary : boundaries_) {
    boundary.begin_s.resize(static_cast<std::size_t>(run.workers));
    clear(boundary);
  }
}

RepetitionSearch::Boundary& RepetitionSearch::boundary(std::int64_t iteration) {
  return boundaries_[static_cast<std::size_t>(iteration) % boundaries_.size()];
}

const RepetitionSearch::Boundary& RepetitionSearch::boundary(std::int64_t iteration) const {
  return boundaries_[static_cast<std::size_t>(iteration) % boundaries_.size()];
}

void RepetitionSearch::clear(Boundary& boundary) const {
  boundary.begun = 0;
  boundary.last_begin_s = 0;
  boundary.first_sent_s = std::numeric_limits<double>::infinity();
}

bool RepetitionSearch::begin(Rank rank, std::int64_t iteration, double now_s, double first_sent_s) {
  if (iteration > ended_ + 1) is_over_ = true;  // workers are too far apart for what is kept
  if (is_over_) return run_.ends_with_search;
  Boundary& next = boundary(iteration);
  next.begin_s[static_cast<std::size_t>(rank)] = now_s;
  next.last_begin_s = std::max(next.last_begin_s, now_s);
  next.first_sent_s = std::min(next.first_sent_s, first_sent_s);
  return ++next.begun == static_cast<int>(next.begin_s.size());
}

bool RepetitionSearch::end_iteration(const RunStatistics& statistics, const ParticipationLog& participation) {
  if (is_over_) return true;
  Boundary& now = boundary(ended_);
  now.statistics = statistics;
  if (participation.operations() > 0) now.contributions = participation.contributions();
  idle_ = now.last_begin_s < now.first_sent_s ? idle_ + 1 : 0;
  for (std::size_t i = 0; i < agreements_.size() && !repetition_; ++i) {
    const std::int64_t period = static_cast<std::int64_t>(i + 1) * run_.traffic_period;
    if (period >= ended_) break;
    count_agreement(period, agreements_[i]);
    if (is_enough(period, agreements_[i])) repetition_ = repetition_of(period);
  }
  is_over_ = repetition_ || ended_ >= run_.most_iterations;
  if (!is_over_) clear(boundary(++ended_ + 1));
  return repetition_ || (is_over_ && run_.ends_with_search);
}

void RepetitionSearch::count_agreement(std::int64_t period, Agreement& agreement) const {
  const Boundary& now = boundary(ended_);
  const Boundary& before = boundary(ended_ - period);
  const std::uint64_t messages = now.statistics.messages - before.statistics.messages;
  if (messages == agreement.messages && took_all(period, agreement.period_s)) {
    ++agreement.iterations;
    return;
  }
  agreement = {.period_s = now.begin_s[0] - before.begin_s[0], .messages = messages};
  if (took_all(period, agreement.period_s)) agreement.iterations = 1;
}

/// Whether the latest `period` iterations took every worker `period_s`.
bool RepetitionSearch::took_all(std::int64_t period, double period_s) const {
  const Boundary& now = boundary(ended_);
  const Boundary& before = boundary(ended_ - period);
  const double most_s = tolerance_s(now.last_begin_s, ended_);
  for (std::size_t rank = 0; rank < now.begin_s.size(); ++rank)
    if (!(std::abs(now.begin_s[rank] - before.begin_s[rank] - period_s) <= most_s)) return false;
  return true;
}

bool RepetitionSearch::is_enough(std::int64_t period, const Agreement& agreement) const {
  const std::int64_t enough = Repetition::agreeing_iterations(ended_);
  return ended_ >= std::max(least_iterations, 2 * period) && agreement.iterations >= enough &&
         idle_ >= enough + period;
}

Repetition RepetitionSearch::repetition_of(std::int64_t period) const {
  Repetition result{.iterations = run_.iterations,
                    .simulated_iterations = ended_,
                    .period = period,
                    .begin_s = boundary(ended_ - period).last_begin_s,
                    .end_s = boundary(ended_).last_begin_s};
  const std::int64_t further = result.further_iterations();
  const double rest_s = boundary(ended_ - period + further % period).last_begin_s - result.begin_s;
  result.run_s =
      result.end_s + static_cast<double>(further / period) * (result.end_s - result.begin_s) + rest_s;
  return result;
}

/// Extrapolates a count to the end of all iterations, from its values when the period began (`before`), when
/// as much of it was over as the last, incomplete period has (`rest`), and now.
template <typename Count>
Count RepetitionSearch::in_all(const Count& before, const Count& rest, const Count& now) const {
  const auto periods = static_cast<Count>(repetition_->further_iterations() / repetition_->period);
  return now + periods * (now - before) + (rest - before);
}

void RepetitionSearch::add_further_iterations(Outcome& outcome) const {
  const std::int64_t further = repetition_->further_iterations();
  const std::int64_t begin = ended_ - repetition_->period;
  const Boundary& before = boundary(begin);
  const Boundary& rest = boundary(begin + further % repetition_->period);
  const Boundary& now = boundary(ended_);
  const auto extend = [&](auto RunStatistics::*count) {
    outcome.statistics.*count =
        in_all(before.statistics.*count, rest.statistics.*count, now.statistics.*count);
  };
  for (const auto count :
       {&RunStatistics::messages, &RunStatistics::rendezvous_messages, &RunStatistics::evaluated_messages})
    extend(count);
  extend(&RunStatistics::bytes);
  outcome.statistics.makespan_s = repetition_->run_s;
  add_to_log(outcome.log);
  add_participation(outcome.participation);
  outcome.repetition = repetition_;
}

void RepetitionSearch::add_to_log(IterationLog& log) const {
  const auto simulated = static_cast<std::size_t>(ended_);
  const auto period = static_cast<std::size_t>(repetition_->period);
  const auto further = static_cast<std::size_t>(repetition_->further_iterations());
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const double period_s = log.of(rank)[simulated - 1].end_s - log.of(rank)[simulated - 1 - period].end_s;
    for (std::size_t i = 0; i < further; ++i) {
      IterationRecord record = log.of(rank)[simulated - period + i % period];
      const double later_s = static_cast<double>(i / period + 1) * period_s;
      record.end_s += later_s;
      record.ready_s += later_s;
      log.add(rank, record);
    }
  }
}

/// Further contributions are only counted: averages of models have no operation numbers.
void RepetitionSearch::add_participation(ParticipationLog& log) const {
  const std::int64_t begin = ended_ - repetition_->period;
  const std::vector<std::int64_t>& before = boundary(begin).contributions;
  const std::vector<std::int64_t>& rest =
      boundary(begin + repetition_->further_iterations() % repetition_->period).contributions;
  std::vector<std::int64_t> further = boundary(ended_).contributions;
  STARLING_INVARIANT(before.size() == further.size() && rest.size() == further.size());
  for (std::size_t i = 0; i < further.size(); ++i)
    further[i] = in_all(before[i], rest[i], further[i]) - further[i];
  if (!further.empty()) log.add_contributions(further);
  for (std::int64_t i = 0; i < repetition_->further_iterations(); ++i)
    for (Rank rank = 0; rank < static_cast<Rank>(log.iterations().size()); ++rank) log.end_iteration(rank);
}

}  // namespace starling
