#include "analysis/regimes/regime_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>

#include "analysis/demand/demand.hpp"
#include "analysis/demand/shortage.hpp"
#include "analysis/regimes/kept_points.hpp"
#include "analysis/running/repetition.hpp"
#include "analysis/running/runner.hpp"
#include "base/errors.hpp"
#include "base/in_parallel.hpp"
#include "io/scenario_error.hpp"
#include "io/version.hpp"
#include "scenarios/reading/scenario_hash.hpp"

namespace starling {
namespace {

/// What errors name as the origin of values that the map sets.
constexpr const char* given_by = "regimes";

/// The makespan of a single iteration without the time of computing.
double beside_computing_s(Scenario scenario) {
  scenario.learning.reset();
  const RunResult run = simulate(scenario).runs.front();
  const Breakdown& parts_s = run.breakdown_s;
  return run.makespan_s - parts_s.delay - parts_s.forward - parts_s.backward - parts_s.update;
}

/// The time of one ring all-reduce of all gradients that all workers begin at once, until the last worker has
/// the sum: the mean over five seeds, as workers may notice messages with random delays.
double communication_s(const RegimeStudy& study, int workers) {
  constexpr int seeds = 5;
  ScenarioDocument document = study.base;
  change(document, fmt::format("/cluster/workers={}", workers), given_by);
  change(document, R"(/algorithms=[{"kind":"allreduce","collective":"ring"}])", given_by);
  change(document, "/iterations=1", given_by);
  change(document, "/warmup_iterations=0", given_by);
  const std::uint64_t seed = read_scenario(document).seed;
  double sum_s = 0;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    change(document, fmt::format("/seed={}", offset_seed(seed, i)), given_by);
    sum_s += beside_computing_s(read_scenario(document));
  }
  return sum_s / seeds;
}

Scenario scenario_of(const RegimeStudy& study, const RegimePoint& point) {
  ScenarioDocument document = study.base;
  change(document, fmt::format("/cluster/workers={}", point.workers), given_by);
  if (point.variation > 0)
    change(document,
           fmt::format(R"(/workload/imbalance={{"kind":"{}","coefficient_of_variation":{}}})", study.law,
                       point.variation),
           given_by);
  Scenario scenario = read_scenario(document);
  const double given_s = scenario.workload.compute_total_s();
  if (given_s == 0)
    throw ScenarioError(
        {.file = scenario.file.string(),
         .place = scenario.place + "/workload/compute",
         .problem = "compute times are 0, so the ratio of communication to compute is undefined",
         .got = "",
         .expected = "compute times above 0"});
  const double factor = point.compute_s / given_s;
  for (double& s : scenario.workload.forward_s) s *= factor;
  for (double& s : scenario.workload.backward_s) s *= factor;
  return scenario;
}

/// A scenario for each number of workers and variation.
std::vector<Scenario> scenarios_to_check(const RegimeStudy& study) {
  std::vector<Scenario> scenarios;
  for (const int workers : study.workers)
    for (const double variation : study.variations)
      scenarios.push_back(scenario_of(study, {.workers = workers, .variation = variation, .compute_s = 1}));
  return scenarios;
}

/// The indices of algorithms in order of their times, of which those without a time are left out: times of
/// the model only, or those that count (RegimePoint::time()).
std::vector<std::size_t> algorithms_by_time(const RegimePoint& point, bool by_model) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < point.algorithms.size(); ++i)
    if (point.algorithms[i].model || (!by_model && point.is_simulated)) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return by_model ? point.algorithms[i].model->mean_s.value : point.time(i).mean_s.value;
  });
  return order;
}

void rank(RegimePoint& point) {
  const std::vector<std::size_t> order = algorithms_by_time(point, false);
  STARLING_INVARIANT(order.size() >= 2);
  point.fastest = order[0];
  point.second = order[1];
  const std::vector<std::size_t> by_model = algorithms_by_time(point, true);
  point.fastest_by_model = by_model.empty() ? point.fastest : by_model.front();
}

/// Whether the model does not tell which algorithm is the fastest: it has no time of an algorithm, or an
/// inexact one that is not far enough above the least exact time. Estimates rarely exceed the true time by a
/// quarter; lower bounds never do, but their means over few iterations may by 1 %, as warm-up iterations have
/// bounds of their own.
bool needs_simulation(const RegimePoint& point) {
  constexpr double longest_estimate = 1.25;
  constexpr double longest_bound = 1.01;
  double least_exact_s = std::numeric_limits<double>::infinity();
  for (const RegimeTime& time : point.algorithms)
    if (time.model && time.validity == ModelValidity::exact)
      least_exact_s = std::min(least_exact_s, time.model->mean_s.value);
  return std::ranges::any_of(point.algorithms, [&](const RegimeTime& time) {
    if (!time.model) return true;
    const bool is_estimate = time.validity == ModelValidity::estimate;
    return time.validity != ModelValidity::exact &&
           time.model->mean_s.value <= least_exact_s * (is_estimate ? longest_estimate : longest_bound);
  });
}

/// Whether the order of the first two rests on an estimate, or on a lower bound of the fastest, which says
/// nothing about it.
bool rests_on_estimate(const RegimePoint& point) {
  return !point.is_simulated && (point.algorithms[point.fastest].validity != ModelValidity::exact ||
                                 point.algorithms[point.second].validity == ModelValidity::estimate);
}

std::vector<RegimeTime> times_of(const ModelReport& report) {
  std::vector<RegimeTime> times;
  for (const ModeledAlgorithm& algorithm : report.algorithms) {
    RegimeTime& time = times.emplace_back(RegimeTime{.label = algorithm.label});
    time.simulated = algorithm.simulated;
    if (!algorithm.model) continue;
    time.model = algorithm.model->sampling;
    time.validity = algorithm.model->validity;
  }
  return times;
}

/// Whether kept times fit a scenario: a user may have edited the file.
bool fit_scenario(const std::vector<RegimeTime>& times, const Scenario& scenario, bool is_simulated) {
  return std::ranges::equal(times, scenario.algorithms, {}, &RegimeTime::label, &ScenarioAlgorithm::label) &&
         (!is_simulated ||
          std::ranges::all_of(times, [](const RegimeTime& time) { return time.simulated.has_value(); }));
}

/// Makes a map (map_regimes()).
class Mapping {
 public:
  Mapping(const RegimeStudy& study, const MapOptions& options)
      : study_(study),
        progress_(options.progress),
        jobs_(points_at_once(study, options.jobs, options.of_partial_periods)),
        kept_(options.kept_in) {}

  RegimeMap map() {
    for (const int workers : study_.workers) {
      const double all_reduce_s = communication_s(study_, workers);
      for (const double variation : study_.variations)
        for (const double ratio : study_.ratios)
          map_.points.push_back({.workers = workers,
                                 .ratio = ratio,
                                 .variation = variation,
                                 .compute_s = all_reduce_s / ratio});
    }
    map_.engine = engine_name(scenario_of(study_, map_.points.front()).engine);
    in_parallel(jobs_, map_.points.size(), [this](std::size_t i) { predict(map_.points[i]); });
    for (const RegimeTime& time : map_.points.front().algorithms) map_.algorithms.push_back(time.label);
    while (simulate_where_needed()) {
    }
    return std::move(map_);
  }

 private:
  void advance() {
    const std::lock_guard lock(mutex_);
    progress_.advance();
  }

  /// The times at a point, by the model and, if `simulates`, simulated; kept ones if there are any. Sets
  /// `is_random`.
  std::vector<RegimeTime> find(RegimePoint& point, bool simulates) {
    const Scenario scenario = scenario_of(study_, point);
    point.is_random = may_differ_by_chance(scenario);
    const std::string key =
        ScenarioHash::of(fmt::format("{} {} {} {}", build(), hash_.of(scenario), point.compute_s,
                                     simulates ? "simulated" : "by the model"));
    if (auto kept = kept_.find(key); kept && fit_scenario(*kept, scenario, simulates))
      return *std::move(kept);
    std::vector<RegimeTime> times = times_of(model_report(scenario, simulates));
    kept_.keep(key, times);
    return times;
  }

  void predict(RegimePoint& point) {
    point.algorithms = find(point, false);
    const auto has_model = [](const RegimeTime& time) { return time.model.has_value(); };
    if (std::ranges::count_if(point.algorithms, has_model) >= 2)
      rank(point);
    else
      simulate(point);
    advance();
  }

  void simulate(RegimePoint& point) {
    point.algorithms = find(point, true);
    point.is_simulated = true;
    rank(point);
  }

  bool simulate_where_needed() {
    std::vector<std::size_t> needed;
    for (std::size_t i = 0; i < map_.points.size(); ++i)
      if (!map_.points[i].is_simulated && (needs_simulation(map_.points[i]) || is_at_border(i)))
        needed.push_back(i);
    progress_.expect_more(static_cast<std::int64_t>(needed.size()));
    in_parallel(jobs_, needed.size(), [&](std::size_t i) {
      simulate(map_.points[needed[i]]);
      advance();
    });
    return !needed.empty();
  }

  bool is_at_border(std::size_t index) const {
    const std::size_t ratios = study_.ratios.size();
    const std::size_t plane = ratios * study_.variations.size();
    const std::size_t column = index % ratios;
    const std::size_t row = index % plane / ratios;
    const auto differs = [&](std::size_t other) {
      return map_.points[other].fastest != map_.points[index].fastest;
    };
    return (column > 0 && differs(index - 1)) || (column + 1 < ratios && differs(index + 1)) ||
           (row > 0 && differs(index - ratios)) ||
           (row + 1 < study_.variations.size() && differs(index + ratios)) ||
           (index >= plane && differs(index - plane)) ||
           (index + plane < map_.points.size() && differs(index + plane));
  }

  const RegimeStudy& study_;
  OptionalProgress progress_;
  int jobs_;
  KeptPoints kept_;
  ScenarioHash hash_;
  std::mutex mutex_;  // of the progress
  RegimeMap map_;
};

}  // namespace

const Sampling& RegimePoint::time(std::size_t algorithm) const {
  const RegimeTime& of = algorithms[algorithm];
  return is_simulated ? *of.simulated : *of.model;
}

bool RegimePoint::is_decided() const {
  constexpr double by_rounding = 1e-9;
  if (rests_on_estimate(*this)) return false;
  const SampleEstimate longer = ratio_of_times(time(second), time(fastest));
  if (is_random && !longer.has_error()) return false;
  const double least = longer.has_error() ? confidence_interval(longer, 0.95).least : longer.value;
  return least > 1 + by_rounding;
}

bool RegimePoint::is_gain_sure() const {
  return is_simulated || (algorithms[fastest].validity == ModelValidity::exact &&
                          algorithms[second].validity == ModelValidity::exact);
}

void refuse_without_models(const ScenarioJob& job) {
  const Scenario& scenario = job.scenario();
  for (std::size_t i = 0; i < scenario.algorithms.size(); ++i)
    if (!reason_without_model(job.run(i).algorithm)) return;
  throw ScenarioError({.file = scenario.file.string(),
                       .place = scenario.place + "/algorithms",
                       .problem = "no algorithm has a runtime model, which a map requires",
                       .got = "",
                       .expected = "at least one algorithm of Starling; starling sweep needs no model"});
}

// Checks all numbers of workers first: that the last one does not fit must not show after hours of the
// others.
int points_at_once(const RegimeStudy& study, int jobs,
                   const std::function<void(const std::string&)>& of_partial_periods) {
  std::set<std::string> reported;
  const MachineSupply supply = supply_of_machine(std::nullopt);
  int at_once = static_cast<int>(std::min(study.points(), static_cast<std::size_t>(jobs)));
  for (const Scenario& scenario : scenarios_to_check(study)) {
    const ScenarioJob job(scenario);
    if (scenario.engine == Engine::simgrid) at_once = 1;
    refuse_without_models(job);
    const JobDemand demand = demand_of(job);
    refuse_shortage(job, demand, supply, Forcing::impossible);
    at_once = runs_that_fit(demand, supply, at_once);
    if (!of_partial_periods) continue;
    for (const std::string& sentence : job.partial_periods())
      if (reported.insert(sentence).second) of_partial_periods(sentence);
  }
  return at_once;
}

RegimeMap map_regimes(const RegimeStudy& study, const MapOptions& options) {
  return Mapping(study, options).map();
}

}  // namespace starling
