#include "analysis/uncertainty/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/model/exact_runs.hpp"
#include "analysis/statistics/estimate.hpp"
#include "analysis/uncertainty/ties.hpp"
#include "analysis/uncertainty/uncertain_quantities.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/text_table.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// The mean iteration times by algorithm, and by run of the scenario.
using Means = std::vector<std::vector<double>>;

void add(const Result& result, Means& means, const std::function<void()>& ran) {
  for (std::size_t i = 0; i < result.runs.size(); ++i)
    means[i].push_back(result.runs[i].iteration_time_s.mean);
  if (ran) ran();
}

json without_learning(const Scenario& scenario) {
  json document = scenario.as_read;
  document.erase("learning");
  return document;
}

/// A scenario with its quantities drawn: the first of up to 100 draws that fit the rest of it, such as a
/// latency its transport. Counts those that do not. @throws ScenarioError of the last draw if none fits.
Scenario drawn_scenario(const Scenario& scenario, const json& document,
                        const std::vector<UncertainQuantity>& quantities, std::uint64_t draw,
                        int& draws_that_did_not_fit) {
  constexpr std::uint64_t most_attempts = 100;
  constexpr std::uint64_t after_all_draws = 1'000'000;
  for (std::uint64_t attempt = 0;; ++attempt) {
    json one = with_drawn(document, quantities, scenario.seed, draw + attempt * after_all_draws);
    one["seed"] = offset_seed(scenario.seed, 1 + draw);
    try {
      return read_scenario_document(one, scenario.file, scenario.folder);
    } catch (const ScenarioError&) {
      if (quantities.empty() || attempt + 1 == most_attempts) throw;
      ++draws_that_did_not_fit;
    }
  }
}

Means drawn(const Scenario& scenario, int draws, std::size_t runs, int& draws_that_did_not_fit,
            const std::function<void()>& ran) {
  Means means(runs);
  const std::vector<UncertainQuantity> quantities = uncertain_quantities(scenario.as_read);
  const json document = without_learning(scenario);
  for (int i = 0; i < draws; ++i)
    add(simulate_evaluated(drawn_scenario(scenario, document, quantities, static_cast<std::uint64_t>(i),
                                          draws_that_did_not_fit)),
        means, ran);
  return means;
}

/// The means with jitter, by algorithm.
std::vector<std::vector<SampleEstimate>> with_jitter(const Scenario& scenario, int jitters,
                                                     const Result& result, const std::function<void()>& ran) {
  std::vector<std::vector<SampleEstimate>> means_s(result.runs.size());
  for (int i = 0; i < jitters; ++i) {
    const Result other = simulate_evaluated(jittered(scenario, result, static_cast<std::uint64_t>(i)));
    for (std::size_t j = 0; j < means_s.size(); ++j) means_s[j].push_back(other.runs[j].sampling.mean_s);
    if (ran) ran();
  }
  return means_s;
}

/// The interval in which one more draw lies with 90 %: n independent draws leave n + 1 equally likely gaps,
/// so quantile p is the p(n + 1)-th draw, counted from 1 and interpolated linearly. With fewer than 19 draws
/// it is their range. Reference: David, Nagaraja, "Order Statistics", 3rd ed., section 7.2; Hyndman, Fan,
/// "Sample Quantiles in Statistical Packages", The American Statistician 50(4), 1996, definition 6.
Interval middle_90(std::vector<double> values) {
  std::ranges::sort(values);
  const auto draws = static_cast<double>(values.size());
  const auto at = [&](double probability) {
    const double rank = std::clamp(probability * (draws + 1), 1.0, draws);
    return quantile(values, draws > 1 ? (rank - 1) / (draws - 1) : 0);
  };
  return {at(0.05), at(0.95)};
}

/// An interval around `value`, widened by another, independent relative error.
Interval widened(const Interval& interval, double value, double error) {
  if (value == 0) return interval;
  const auto factor = [&](double of_draws) {
    return std::exp(std::hypot(std::log(std::max(of_draws, 1.0)), std::log(1 + error)));
  };
  return {value / factor(value / interval.least), value * factor(interval.greatest / value)};
}

std::string text_of(const Interval& interval) {
  if (interval.least == interval.greatest) return "nothing varies";
  return fmt::format("{} – {}", time_text(interval.least), time_text(interval.greatest));
}

}  // namespace

int find_uncertainty(const Scenario& scenario, const UncertaintyOptions& options, Result& result,
                     const std::function<void()>& ran) {
  int draws_that_did_not_fit = 0;
  const Means of_draws = drawn(scenario, options.draws, result.runs.size(), draws_that_did_not_fit, ran);
  const auto of_jitters = with_jitter(scenario, options.jitters, result, ran);
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    Interval interval_90_s = middle_90(of_draws[i]);
    if (scenario.model_error)
      interval_90_s = widened(interval_90_s, result.runs[i].iteration_time_s.mean, *scenario.model_error);
    result.runs[i].uncertainty =
        Uncertainty{.interval_90_s = interval_90_s,
                    .decided_by_ties_s = range_by_ties(result.runs[i].sampling.mean_s, of_jitters[i])};
  }
  return draws_that_did_not_fit;
}

std::string uncertainty_table(const Scenario& scenario, const UncertaintyOptions& options,
                              const Result& result) {
  std::vector<TableRow> rows{{"algorithm", "iteration", "90 % interval", "decided by ties"}};
  for (const RunResult& run : result.runs)
    rows.push_back(
        {run.label, time_text(run.iteration_time_s.mean), text_of(run.uncertainty->interval_90_s),
         run.uncertainty->decided_by_ties_s ? text_of(*run.uncertainty->decided_by_ties_s) : "no"});
  const std::size_t ranges = uncertain_quantities(scenario.as_read).size();
  const std::string model_error =
      scenario.model_error ? fmt::format("the model's error of {:.3g} %", 100 * *scenario.model_error)
                           : "no error of the model, as cluster.model_error is not given";
  return fmt::format(
      "{}90 % interval: contains one more run with a probability of 90 %, according to {} runs with other "
      "seeds, {} drawn quantit{} and {}\n"
      "decided by ties: range of the mean when latencies and computing times change by at most 0.1 %, in {} "
      "runs, if the mean changes by more than 1 % and by more than three standard errors\n",
      aligned(rows), options.draws, ranges, ranges == 1 ? "y" : "ies", model_error, options.jitters);
}

}  // namespace starling
