#include "analysis/model/gain_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>

#include "algorithms/training/gossip/adpsgd.hpp"
#include "algorithms/training/gossip/sgp.hpp"
#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"
#include "analysis/model/exact_runs.hpp"
#include "analysis/model/runtime_model.hpp"
#include "analysis/model/stretched_network.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/running/bucket_trials.hpp"
#include "analysis/running/repetition.hpp"
#include "analysis/running/run_facts.hpp"
#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "base/numbers/double_policy.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

constexpr int most_steps_to_stretch = 12;

/// Of one algorithm: all three parts on, the search for a stretch, and the six other subsets.
constexpr std::int64_t most_simulations_of_gain = 1 + most_steps_to_stretch + 6;

/// Which of the three parts are switched on.
struct Factors {
  bool overlap = true;
  bool cheaper = true;
  bool insensitivity = true;
};

/// All gradients are ready only when the whole backward pass has ended, and the forward pass needs the whole
/// model.
Workload without_overlap(Workload workload) {
  for (std::vector<double>* times_s : {&workload.forward_s, &workload.backward_s}) {
    const double total_s = std::accumulate(times_s->begin(), times_s->end(), 0.0);
    std::ranges::fill(*times_s, 0.0);
    if (!times_s->empty()) times_s->back() = total_s;
  }
  return workload;
}

/// Why one of the three parts cannot be switched off in an algorithm; empty if all can.
std::string reason_against(const TrainingOptions& options) {
  if (options.get_if<AdpsgdOptions>() != nullptr)
    return "its computing waits for no message, so overlap cannot be switched off";
  const auto* sgp = options.get_if<SgpOptions>();
  if (sgp != nullptr && sgp->overlap > 1)
    return "with overlap above 1 it sends less often, so without overlap it is a different algorithm";
  return "";
}

/// The mean over the workers and iterations of the longest run: one load for all algorithms.
Load mean_load(const ScenarioJob& job) {
  std::size_t longest = 0;
  for (std::size_t i = 1; i < job.scenario().algorithms.size(); ++i)
    if (job.iterations(i) > job.iterations(longest)) longest = i;
  const PreparedRun run = job.run(longest);
  const double count = static_cast<double>(job.workers()) * static_cast<double>(run.iterations);
  Load sum{.delay_s = 0, .factor = 0};
  for (std::int64_t iteration = 0; iteration < run.iterations; ++iteration)
    for (Rank rank = 0; rank < job.workers(); ++rank) {
      const Load load = run.load(rank, iteration);
      sum.delay_s += load.delay_s;
      sum.factor += load.factor;
    }
  return {.delay_s = sum.delay_s / count, .factor = sum.factor / count};
}

struct Simulated {
  double mean_s = 0;                // of an iteration
  std::vector<double> durations_s;  // of each one
};

/// Simulates the algorithms of a scenario with and without each of the three parts.
class Switchboard {
 public:
  Switchboard(const Scenario& scenario, const RunObservers& observers,
              const std::vector<std::int64_t>& iterations)
      : scenario_(scenario),
        observers_(observers),
        job_(std::make_unique<ScenarioJob>(scenario)),
        bare_(std::make_unique<ScenarioJob>(scenario)),
        bare_workload_(without_overlap(scenario.workload)) {
    if (observers.job_made) observers.job_made(*job_);
    for (std::size_t i = 0; i < iterations.size(); ++i) {
      job_->set_iterations(i, iterations[i]);
      bare_->set_iterations(i, iterations[i]);
    }
    even_ = mean_load(*job_);
    observers.progress.expect(expected_steps());
    SimulatedMachine machine(scenario_, job_->routes(), observers_.progress);
    for (std::size_t i = 0; i < scenario.algorithms.size(); ++i) {
      RunResult found;
      if (has_bucket_search(job_->options(i))) {
        begin(scenario.algorithms[i].label + " (bucket search)");
        search_buckets(
            *job_, i, [&](const PreparedRun& trial) { return machine.run_trial(trial); }, found);
      }
      bare_->replace_options(i, job_->options(i).without_overlap());
    }
  }

  const TrainingOptions& options(std::size_t index) const { return job_->options(index); }
  bool is_random() const { return may_differ_by_chance(scenario_); }

  void begin(const std::string& what) const { observers_.progress.begin(what); }
  /// Takes back from the expected progress what dividing this algorithm's gain did not need; `done_before`:
  /// the progress when it began.
  void end_of_gain(std::size_t index, std::int64_t done_before) const {
    observers_.progress.expect_more(done() - done_before - most_simulations_of_gain * steps(index));
  }
  std::int64_t done() const { return observers_.progress.done(); }

  /// One run; message costs are multiplied by `stretch`.
  Simulated simulated(std::size_t index, const Factors& factors, double stretch = 1) const {
    PreparedRun run = (factors.overlap ? *job_ : *bare_).run(index);
    const PreparedRun own = {
        .algorithm = run.algorithm,
        .workload = factors.overlap ? run.workload : bare_workload_,
        .iterations = run.iterations,
        .seed = run.seed,
        .load = factors.insensitivity ? run.load : [even = even_](Rank, std::int64_t) { return even; }};
    Scenario scenario = scenario_;
    scenario.message_costs = stretched(scenario.message_costs, stretch);
    const StretchedRoutes routes(job_->routes(), stretch);
    SimulatedMachine machine(scenario, routes, observers_.progress, {}, &exact_runs_);
    const Outcome outcome = machine.run_trial(own);
    return {.mean_s = iteration_time(outcome.log, scenario.warmup_iterations).mean,
            .durations_s = mean_durations_s(outcome.log, scenario.warmup_iterations)};
  }

  /// An empty series for differences between iterations of both, with the period and batch length they need.
  SampleSeries series_beside(std::size_t baseline, std::size_t index) const {
    const auto series = [this](std::size_t i) {
      return SampleSeries{
          .values = {},
          .period = static_cast<std::size_t>(counted_period(options(i), job_->facts(), scenario_.imbalance)),
          .least_length = static_cast<std::size_t>(least_batch(scenario_.imbalance, job_->workers()))};
    };
    return series_of_both(series(baseline), series(index));
  }

  /// What a worker with the mean load computes in an iteration.
  double busy_s() const {
    const Workload& workload = scenario_.workload;
    return even_.delay_s + even_.factor * workload.compute_total_s() +
           workload.update_s(Replica(workload).parameters().count());
  }

 private:
  /// The progress of one simulation.
  std::int64_t steps(std::size_t index) const { return job_->iterations(index) * job_->workers(); }
  /// The progress of all simulations, if each search for a stretch takes as many as it may.
  std::int64_t expected_steps() const {
    const std::size_t baseline = baseline_of_gains(scenario_);
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < scenario_.algorithms.size(); ++i) {
      expected += (i == baseline ? 2 : most_simulations_of_gain) * steps(i);
      if (has_bucket_search(job_->options(i))) expected += bucket_search_iterations() * job_->workers();
    }
    return expected;
  }

  const Scenario& scenario_;
  const RunObservers& observers_;
  std::unique_ptr<ScenarioJob> job_;
  std::unique_ptr<ScenarioJob> bare_;  // algorithms without overlap
  Workload bare_workload_;
  Load even_;  // of every worker and iteration without insensitivity
  ExactRuns exact_runs_;
};

/// The factor on all message costs that gives an iteration without the three parts the target duration, or
/// why none was found.
struct StretchFound {
  std::optional<double> factor = {};
  std::string reason = {};
};

/// Tries first the factor that is right if waiting is proportional to it, then factors further on until one
/// is too small and one too great, and then searches between these two. Reference: Alefeld, Potra, Shi,
/// "Algorithm 748: enclosing zeros of continuous functions", ACM TOMS 21(3), 1995.
class StretchSearch {
 public:
  StretchSearch(const Switchboard& board, std::size_t index, double target_s)
      : board_(board), index_(index), target_s_(target_s) {}

  StretchFound find() {
    Tried before = tried(1);
    if (before.excess_s == 0) return {.factor = 1};
    double factor = (target_s_ - board_.busy_s()) / (target_s_ + before.excess_s - board_.busy_s());
    for (double step = 2; factor > 1 / most && factor < most && steps_left_ > 0; step *= step) {
      const Tried now = tried(factor);
      if (now.excess_s == 0) return {.factor = factor};
      if (std::signbit(now.excess_s) != std::signbit(before.excess_s)) return between(before, now);
      factor = now.excess_s < 0 ? factor * step : factor / step;
      before = now;
    }
    return {.reason =
                "no factor on the cost of messages makes it as slow as allreduce, as it does not wait for "
                "messages only"};
  }

 private:
  struct Tried {
    double factor;
    double excess_s;  // over the target; 0 if it is close enough
  };

  static constexpr double most = 1e9;

  Tried tried(double factor) {
    constexpr double closeness = 1e-9;
    --steps_left_;
    const Factors none{.overlap = false, .cheaper = false, .insensitivity = false};
    const double excess_s = board_.simulated(index_, none, factor).mean_s - target_s_;
    return {.factor = factor, .excess_s = std::abs(excess_s) <= closeness * target_s_ ? 0 : excess_s};
  }

  StretchFound between(Tried low, Tried high) {
    if (low.factor > high.factor) std::swap(low, high);
    auto steps = static_cast<std::uintmax_t>(steps_left_);
    const auto [least, greatest] = boost::math::tools::toms748_solve(
        [this](double factor) { return tried(factor).excess_s; }, low.factor, high.factor, low.excess_s,
        high.excess_s, boost::math::tools::eps_tolerance<double>(), steps, DoublePolicy());
    if (least == greatest) return {.factor = least};
    return {.reason = fmt::format("no factor on the cost of messages was found that makes it as slow as "
                                  "allreduce: between {:.6g} and {:.6g} its iteration time jumps, or the "
                                  "search needs more simulations",
                                  least, greatest)};
  }

  const Switchboard& board_;
  std::size_t index_;
  double target_s_;
  int steps_left_ = most_steps_to_stretch;
};

/// The baseline of gains, with the workers' own loads and with equal ones.
struct Baseline {
  std::size_t index;
  Simulated uneven;
  Simulated even;
};

/// The gain in each iteration; empty if both do not have equally many.
std::vector<double> gains_by_iteration(const Simulated& baseline, const Simulated& own) {
  if (baseline.durations_s.size() != own.durations_s.size()) return {};
  std::vector<double> gains_s;
  for (std::size_t i = 0; i < own.durations_s.size(); ++i)
    gains_s.push_back(baseline.durations_s[i] - own.durations_s[i]);
  return gains_s;
}

/// The standard errors of the parts, if the gains of all subsets are known in each iteration, the iterations
/// are whole periods, and there are enough of them for an error.
std::optional<GainParts> errors_of(const std::array<std::vector<double>, 8>& gains_s,
                                   const SampleSeries& empty) {
  constexpr std::array members{&GainParts::gain_s, &GainParts::overlap_s, &GainParts::cheaper_s,
                               &GainParts::insensitivity_s};
  const std::size_t count = gains_s.back().size();
  for (std::size_t subset = 1; subset < gains_s.size(); ++subset)
    if (gains_s[subset].size() != count) return std::nullopt;
  if (is_of_partial_periods(static_cast<std::int64_t>(count), static_cast<std::int64_t>(empty.period)))
    return std::nullopt;
  GainParts errors;
  for (double GainParts::*const member : members) {
    SampleSeries series = empty;
    for (std::size_t i = 0; i < count; ++i) {
      std::array<double, 8> at_once{};
      for (std::size_t subset = 1; subset < at_once.size(); ++subset) at_once[subset] = gains_s[subset][i];
      series.values.push_back(shapley_parts(at_once).*member);
    }
    const SampleEstimate mean_s = mean_of_series(series);
    if (!mean_s.has_error()) return std::nullopt;
    errors.*member = mean_s.standard_error;
  }
  return errors;
}

void divide(const Switchboard& board, std::size_t index, const Baseline& baseline, const Simulated& own,
            ExplainedGain& gain) {
  gain.reason = reason_against(board.options(index));
  if (!gain.reason.empty()) return;
  const StretchFound stretch = StretchSearch(board, index, baseline.even.mean_s).find();
  gain.reason = stretch.reason;
  if (!stretch.factor) return;
  std::array<double, 8> gains_s{};
  std::array<std::vector<double>, 8> by_iteration_s;
  gains_s.back() = baseline.uneven.mean_s - gain.iteration_time_s;
  by_iteration_s.back() = gains_by_iteration(baseline.uneven, own);
  for (std::size_t subset = 1; subset + 1 < gains_s.size(); ++subset) {
    const Factors factors{
        .overlap = (subset & 1) != 0, .cheaper = (subset & 2) != 0, .insensitivity = (subset & 4) != 0};
    const Simulated& beside = factors.insensitivity ? baseline.uneven : baseline.even;
    const Simulated without = board.simulated(index, factors, factors.cheaper ? 1 : *stretch.factor);
    gains_s[subset] = beside.mean_s - without.mean_s;
    by_iteration_s[subset] = gains_by_iteration(beside, without);
  }
  gain.parts = shapley_parts(gains_s);
  if (board.is_random() || draws_numbers(board.options(index)))
    gain.errors = errors_of(by_iteration_s, board.series_beside(baseline.index, index));
}

}  // namespace

GainParts shapley_parts(const std::array<double, 8>& gain_s) {
  std::array<double, 3> parts{};
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::size_t own = std::size_t{1} << part;
    for (std::size_t before = 0; before < gain_s.size(); ++before) {
      if ((before & own) != 0) continue;
      // Each part is first in two of the six orders, last in two, and behind only one certain other in one.
      const bool is_one = before != 0 && (before | own) != 7;
      parts[part] += (gain_s[before | own] - gain_s[before]) / (is_one ? 6 : 3);
    }
  }
  return {.gain_s = gain_s[7] - gain_s[0],
          .overlap_s = parts[0],
          .cheaper_s = parts[1],
          .insensitivity_s = parts[2]};
}

std::size_t baseline_of_gains(const Scenario& scenario) {
  refuse_jobs(scenario);
  const auto found = std::ranges::find_if(scenario.algorithms, [](const ScenarioAlgorithm& algorithm) {
    return algorithm.options.get_if<AllreduceOptions>() != nullptr;
  });
  if (found == scenario.algorithms.end())
    throw ScenarioError({.file = scenario.file.string(),
                         .place = "/algorithms",
                         .problem = "gains are explained relative to all-reduce, which is missing",
                         .got = "",
                         .expected = "{\"kind\": \"allreduce\"} among the algorithms"});
  return static_cast<std::size_t>(found - scenario.algorithms.begin());
}

ExplainedGains explain_gains(const Scenario& scenario, const RunObservers& observers,
                             const std::vector<std::int64_t>& iterations) {
  const auto& algorithms = scenario.algorithms;
  const std::size_t index = baseline_of_gains(scenario);
  const Switchboard board(scenario, observers, iterations);
  board.begin("gains");
  const Baseline baseline{.index = index,
                          .uneven = board.simulated(index, {}),
                          .even = board.simulated(index, {.insensitivity = false})};
  ExplainedGains gains{
      .baseline = algorithms[index].label, .baseline_s = baseline.uneven.mean_s, .of_others = {}};
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (i == index) continue;
    ExplainedGain& gain = gains.of_others.emplace_back();
    gain.label = algorithms[i].label;
    board.begin("gain of " + gain.label);
    const std::int64_t done_before = board.done();
    const Simulated own = board.simulated(i, {});
    gain.iteration_time_s = own.mean_s;
    divide(board, i, baseline, own, gain);
    board.end_of_gain(i, done_before);
  }
  return gains;
}

}  // namespace starling
