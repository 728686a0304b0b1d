#include "analysis/design/design_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/design/lower_bounds.hpp"
#include "analysis/results/files/saved_result.hpp"
#include "analysis/studies/sweep_figures.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

SampleEstimate divided(SampleEstimate estimate, double number) {
  estimate.value /= number;
  estimate.standard_error /= number;
  return estimate;
}

/// The front of the candidates that were judged so far, in order of their price: the best candidate of a
/// price is on it if it is better, by the least gain, than the last one on it of a lower price.
class JudgedFront {
 public:
  explicit JudgedFront(double least_gain) : least_gain_(least_gain) {}

  /// Whether a candidate with this lower bound may be on the front. It must cost no less than any judged one.
  bool may_hold(double price, double least_s) const {
    if (price == price_ && least_s >= best_of_price_s_) return false;
    return least_s < last_before_s(price) * (1 - least_gain_);
  }

  void add(double price, double objective_s) {
    if (price > price_) {
      last_s_ = last_before_s(price);
      best_of_price_s_ = none_s;
      price_ = price;
    }
    best_of_price_s_ = std::min(best_of_price_s_, objective_s);
  }

 private:
  static constexpr double none_s = std::numeric_limits<double>::infinity();

  /// The objective of the last candidate on the front that costs less than `price`, which must be no less
  /// than that of any judged one.
  double last_before_s(double price) const {
    const bool has_another = price > price_ && best_of_price_s_ < last_s_ * (1 - least_gain_);
    return has_another ? best_of_price_s_ : last_s_;
  }

  double least_gain_;
  double price_ = 0;                 // the highest price that was judged
  double best_of_price_s_ = none_s;  // the best objective of that price
  double last_s_ = none_s;           // the last objective on the front of a lower price
};

class Search {
 public:
  Search(const DesignStudy& study, const DesignSpace& space, SweepStore& store, const DesignOptions& options,
         const SweepObservers& observers)
      : study_(study),
        space_(space),
        store_(store),
        options_(options),
        observers_(observers),
        findings_(static_cast<std::size_t>(space.candidates())),
        front_(study.least_gain) {}

  std::vector<CandidateFinding> run() {
    find_bounds();
    warn_of_changed_inputs(store_, observers_);
    store_.set_plan(space_.plan);
    const std::vector<std::int64_t> order = ordered();
    for (std::size_t next = 0; next < order.size();) {
      const std::size_t first = next;
      Runs runs = runs_of(wave_from(order, next));
      for (const std::int64_t candidate : std::span(order).subspan(first, next - first))
        if (is_worth_it(candidate)) judge(candidate, runs[candidate]);
    }
    return std::move(findings_);
  }

 private:
  using Runs = std::map<std::int64_t, std::vector<SweepRun>>;

  CandidateFinding& of(std::int64_t candidate) { return findings_[static_cast<std::size_t>(candidate)]; }

  void drop(std::int64_t candidate, CandidateState state, std::string reason) {
    of(candidate).state = state;
    of(candidate).reason = std::move(reason);
  }

  /// Reduces the expected progress by the runs of a candidate that is not run.
  void expect_no_runs() { options_.progress.expect_more(-study_.seeds); }

  void find_bounds() {
    LowerBounds bounds(space_.plan);
    for (std::int64_t i = 0; i < space_.candidates(); ++i) {
      const DesignNetwork& network = space_.network_of(i);
      if (!network.left_out.empty()) {
        drop(i, CandidateState::left_out, network.left_out);
      } else if (!network.problem.empty()) {
        drop(i, CandidateState::failed, network.problem);
      } else if (study_.budget && network.price > *study_.budget) {
        drop(i, CandidateState::over_budget, "costs more than the budget");
      } else {
        find_bound(bounds, i);
      }
      if (of(i).state != CandidateState::tried) expect_no_runs();
    }
  }

  void find_bound(LowerBounds& bounds, std::int64_t candidate) {
    try {
      const double iteration_s = bounds.iteration_time_s(candidate);
      if (study_.objective == DesignObjective::iteration_time) of(candidate).least_s = iteration_s;
      if (study_.objective == DesignObjective::throughput)
        of(candidate).least_s =
            bounds.time_of_samples_s(candidate) / space_.network_of(candidate).samples_per_iteration;
    } catch (const std::exception& error) {
      drop(candidate, CandidateState::failed, error_text(error));
    }
  }

  /// The candidates that may be run, in the order in which they are taken.
  std::vector<std::int64_t> ordered() {
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < space_.candidates(); ++i)
      if (of(i).state == CandidateState::tried) order.push_back(i);
    std::ranges::stable_sort(
        order, {}, [this](std::int64_t i) { return std::pair(space_.network_of(i).price, of(i).least_s); });
    return order;
  }

  /// The next candidates that are not ruled out by what is known now, as many as keep all jobs busy; moves
  /// `next` behind them.
  std::vector<std::int64_t> wave_from(const std::vector<std::int64_t>& order, std::size_t& next) {
    const int width = (options_.jobs + study_.seeds - 1) / study_.seeds;
    std::vector<std::int64_t> wave;
    while (next < order.size() && static_cast<int>(wave.size()) < width) {
      const std::int64_t candidate = order[next++];
      if (ruled_out_as(candidate))
        expect_no_runs();
      else
        wave.push_back(candidate);
    }
    std::ranges::sort(wave);
    return wave;
  }

  /// Whether a candidate is used, given the verdicts on all before it; else notes why not. What wave_from()
  /// ruled out with fewer verdicts is ruled out here, too.
  bool is_worth_it(std::int64_t candidate) {
    const std::optional<CandidateState> ruled_out = ruled_out_as(candidate);
    if (ruled_out == CandidateState::dearer)
      drop(candidate, *ruled_out, "costs more than a network that reaches the target");
    if (ruled_out == CandidateState::out_of_reach) drop(candidate, *ruled_out, "cannot reach the target");
    if (ruled_out == CandidateState::without_gain)
      drop(candidate, *ruled_out,
           fmt::format("cannot be better{} than networks that cost no more",
                       study_.least_gain > 0 ? fmt::format(" by {:g} %", 100 * study_.least_gain) : ""));
    return !ruled_out;
  }

  /// The state of a candidate that need not be run; nullopt if it must be. All judged candidates must cost no
  /// more.
  std::optional<CandidateState> ruled_out_as(std::int64_t candidate) {
    if (options_.tries_all) return std::nullopt;
    const double least_s = of(candidate).least_s;
    if (reached_at_ && space_.network_of(candidate).price > *reached_at_) return CandidateState::dearer;
    if (study_.target && least_s > target_s(study_)) return CandidateState::out_of_reach;
    // Until one has reached the target, a candidate matters that does so by being only slightly better.
    if (study_.target && !reached_at_) return std::nullopt;
    if (least_s > 0 && !front_.may_hold(space_.network_of(candidate).price, least_s))
      return CandidateState::without_gain;
    return std::nullopt;
  }

  Runs runs_of(const std::vector<std::int64_t>& wave) {
    Runs runs;
    if (wave.empty()) return runs;
    SweepObservers observers = observers_;
    observers.run_ended = [&](const SweepRun& run, bool is_reused) {
      runs[run.combination].push_back(run);
      if (observers_.run_ended) observers_.run_ended(run, is_reused);
    };
    run_combinations(space_.plan, wave, store_, options_.jobs, observers, options_.run_limit);
    return runs;
  }

  void judge(std::int64_t candidate, std::vector<SweepRun>& runs) {
    std::ranges::sort(runs, {}, &SweepRun::replication);
    CandidateFinding& finding = of(candidate);
    const auto failed = std::ranges::find_if(runs, [](const SweepRun& run) { return !run.is_done(); });
    if (failed != runs.end()) {
      finding.state = CandidateState::failed;
      finding.reason = failed->error;
      return;
    }
    if (!take_objective(candidate, runs)) return;
    check_bound(candidate);
    const double price = space_.network_of(candidate).price;
    front_.add(price, finding.objective_s.value);
    if (study_.target && reaches_for_sure(finding, target_s(study_)))
      reached_at_ = std::min(reached_at_.value_or(price), price);
  }

  /// Sets the objective of a candidate; false if it did not reach the target loss.
  bool take_objective(std::int64_t candidate, const std::vector<SweepRun>& runs) {
    CandidateFinding& finding = of(candidate);
    const SweepSummary summary = summaries_of(runs).front();
    finding.iteration_time_s = *summary.figures[index_of_figure("iteration_time_s")];
    finding.objective_s = finding.iteration_time_s;
    if (study_.objective == DesignObjective::time_to_loss) return take_time_to_loss(runs, finding);
    if (study_.objective == DesignObjective::throughput) take_time_of_sample(runs, finding);
    return true;
  }

  /// Warns if a run is better than its lower bound: bounds may then have ruled out other candidates wrongly.
  void check_bound(std::int64_t candidate) const {
    constexpr double rounding = 1e-9;
    const CandidateFinding& finding = findings_[static_cast<std::size_t>(candidate)];
    if (finding.objective_s.value >= finding.least_s * (1 - rounding) || !observers_.warned) return;
    observers_.warned(fmt::format(
        "{} {} with {}: {} is less than its lower bound {}; --all runs all candidates",
        space_.network_of(candidate).family, space_.network_of(candidate).text,
        space_.algorithm_of(candidate), time_text(finding.objective_s.value), time_text(finding.least_s)));
  }

  /// Sets the time per sample as the objective, with the relative error of the iteration time; 0 if samples
  /// take no time.
  static void take_time_of_sample(const std::vector<SweepRun>& runs, CandidateFinding& finding) {
    const SweepFigure& figure = sweep_figures()[index_of_figure("throughput_samples_per_s")];
    double sum_s = 0;
    for (const SweepRun& run : runs)
      if (const auto per_s = value_of(figure, blocks_of(run.result).front())) sum_s += 1 / *per_s;
    if (sum_s == 0) {
      finding.objective_s = {};
      return;
    }
    const double sample_s = sum_s / static_cast<double>(runs.size());
    finding.objective_s = divided(finding.iteration_time_s, finding.iteration_time_s.value / sample_s);
  }

  /// Sets the time to the target loss as the objective; false if a seed did not reach it.
  static bool take_time_to_loss(const std::vector<SweepRun>& runs, CandidateFinding& finding) {
    const SweepFigure& figure = sweep_figures()[index_of_figure("time_to_target_s")];
    std::vector<double> times_s;
    for (const SweepRun& run : runs)
      if (const auto time_s = value_of(figure, blocks_of(run.result).front())) times_s.push_back(*time_s);
    if (times_s.size() < runs.size()) {
      finding.state = CandidateState::without_target;
      finding.reason =
          fmt::format("{} of {} runs did not reach the loss", runs.size() - times_s.size(), runs.size());
      return false;
    }
    finding.objective_s = estimate_mean(times_s);
    return true;
  }

  const DesignStudy& study_;
  const DesignSpace& space_;
  SweepStore& store_;
  const DesignOptions& options_;
  const SweepObservers& observers_;
  std::vector<CandidateFinding> findings_;
  JudgedFront front_;
  std::optional<double> reached_at_;  // the least price that surely reaches the target
};

}  // namespace

std::string name_of(CandidateState state) {
  static constexpr std::array<std::string_view, 8> names{"tried",        "failed",        "left_out",
                                                         "over_budget",  "dearer",        "out_of_reach",
                                                         "without_gain", "without_target"};
  return std::string(names.at(static_cast<std::size_t>(state)));
}

double target_s(const DesignStudy& study) {
  return study.objective == DesignObjective::throughput ? 1 / *study.target : *study.target;
}

bool reaches_for_sure(const CandidateFinding& finding, double target_s) {
  const auto interval = interval_95(finding.objective_s);
  return interval && interval->greatest <= target_s;
}

std::vector<CandidateFinding> search_design(const DesignStudy& study, const DesignSpace& space,
                                            SweepStore& store, const DesignOptions& options,
                                            const SweepObservers& observers) {
  return Search(study, space, store, options, observers).run();
}

}  // namespace starling
