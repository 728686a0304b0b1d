#include "workloads/imbalance/imbalance_warnings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <variant>

namespace starling {
namespace {

/// Warns of a trace of more workers than the job has.
std::optional<std::string> surplus_of(const ComputeTrace& trace, int workers) {
  std::set<Rank> traced;
  for (const TracePoint& point : trace.points) traced.insert(point.worker);
  const auto surplus = std::distance(traced.lower_bound(workers), traced.end());
  if (surplus == 0) return std::nullopt;
  return fmt::format("{} has times of {} workers, but the job has {}: the times of {} workers are not used",
                     trace.file, traced.size(), workers, surplus);
}

/// Warns of a factor below 1, which makes workers that should be slow faster.
std::optional<std::string> speed_up_of(std::string_view what, double factor) {
  if (factor >= 1) return std::nullopt;
  return fmt::format(
      "{} {:g} makes workers faster; {:g} would make them take {:g} % longer, {:.3g} would multiply "
      "their speed by {:g}",
      what, factor, 2 - factor, 100 * (1 - factor), 1 / factor, factor);
}

/// Warns of compute times whose mean differs from the compute time that they replace by more than a factor of
/// 2.
std::optional<std::string> mismatch_of(const std::string& source, double mean_s, double compute_s) {
  constexpr double tolerated = 2;
  if (compute_s <= 0) return std::nullopt;
  if (mean_s <= tolerated * compute_s && compute_s <= tolerated * mean_s) return std::nullopt;
  return fmt::format(
      "{} compute times of {:.4g} s on average, in place of the {:.4g} s of forward and backward together, "
      "which only determine how times are split over layers and passes",
      source, mean_s, compute_s);
}

/// The mean time in the trace, over the workers that the job has.
double mean_of_trace_s(const ComputeTrace& trace, int workers) {
  double sum_s = 0;
  int count = 0;
  for (const TracePoint& point : trace.points) {
    if (point.worker >= workers) continue;
    sum_s += point.compute_s;
    ++count;
  }
  return sum_s / std::max(1, count);
}

/// Why a pause has no effect on the results, or part of it only; empty if all of it counts.
std::string problem_of(const Pause& pause, std::int64_t warmup, std::int64_t iterations) {
  if (pause.iteration >= iterations)
    return fmt::format("does not occur, as the last iteration is {}", iterations - 1);
  if (pause.iteration < warmup)
    return fmt::format("occurs in the warm-up: only waiting from iteration {} on is counted", warmup);
  return "";
}

/// Warns of a trace of more iterations than the run has.
std::optional<std::string> surplus_iterations_of(const ComputeTrace& trace, std::int64_t iterations) {
  std::int64_t traced = 0;
  for (const TracePoint& point : trace.points) traced = std::max(traced, point.iteration + 1);
  if (traced <= iterations) return std::nullopt;
  return fmt::format(
      "{} has times of {} iterations, but the run has {}: the times of later iterations are not used",
      trace.file, traced, iterations);
}

}  // namespace

std::vector<std::string> imbalance_warnings(const Imbalance& cause, int workers, double compute_s) {
  std::vector<std::string> warnings;
  const auto add = [&](const std::optional<std::string>& warning) {
    if (warning) warnings.push_back(*warning);
  };
  if (const auto* trace = std::get_if<ComputeTrace>(&cause)) {
    add(surplus_of(*trace, workers));
    add(mismatch_of(trace->file + " has", mean_of_trace_s(*trace, workers), compute_s));
  }
  if (const auto* drawn = std::get_if<DrawnTime>(&cause);
      drawn != nullptr && drawn->meaning == DrawnMeaning::compute)
    add(mismatch_of(drawn->shipped_name.value_or(drawn->file) + " draws", drawn->distribution->mean(),
                    compute_s));
  if (const auto* slow = std::get_if<SlowWorkers>(&cause))
    add(speed_up_of("slow_workers: factor", slow->factor));
  if (const auto* slow = std::get_if<MarkovStates>(&cause))
    add(speed_up_of("markov: slow_factor", slow->slow_factor));
  if (const auto* slow = std::get_if<PeriodicSlowness>(&cause))
    add(speed_up_of("periodic: factor", slow->factor));
  return warnings;
}

std::optional<std::string> partial_cause_warning(const Imbalance& cause, std::int64_t warmup,
                                                 std::int64_t iterations) {
  if (const auto* trace = std::get_if<ComputeTrace>(&cause)) return surplus_iterations_of(*trace, iterations);
  const auto* pause = std::get_if<Pause>(&cause);
  const std::string problem = pause != nullptr ? problem_of(*pause, warmup, iterations) : "";
  if (problem.empty()) return std::nullopt;
  return fmt::format("the pause before iteration {} of worker {} {}", pause->iteration, pause->worker,
                     problem);
}

}  // namespace starling
