#include "analysis/comparison/result_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/comparison/saved_iterations.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/statistics/sample_series.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// A result with the iterations of its iterations.csv.
struct Compared {
  const SavedResult& result;
  std::vector<SavedIterations> iterations;  // of every run; empty if there is no iterations.csv
};

/// Reads the iterations.csv beside a result. One beside a file of another name than result.json may belong to
/// another result, and is not read.
Compared with_iterations(const SavedResult& result) {
  const std::filesystem::path file = result.file.parent_path() / "iterations.csv";
  if (result.file.filename() != "result.json" || !std::filesystem::exists(file))
    return {.result = result, .iterations = {}};
  Compared compared{.result = result, .iterations = read_iterations(file)};
  check_iterations(result, compared.iterations, file);
  return compared;
}

/// The iterations of a run; none with several seeds, as iterations.csv then has a run for each.
SavedIterations saved_iterations_of(const Compared& compared, const SavedRun& run) {
  if (run.seeds > 1) return {};
  const auto index = static_cast<std::size_t>(&run - compared.result.runs.data());
  return index < compared.iterations.size() ? compared.iterations[index] : SavedIterations{};
}

std::optional<IterationNumbers> counted_iterations(const SavedIterations& iterations) {
  if (iterations.numbers.empty()) return std::nullopt;
  return IterationNumbers{.first = iterations.numbers.front(), .last = iterations.numbers.back()};
}

/// Adds the values that differ among these flattened objects; `before` is put in front of their pointers.
void add_differences(const std::vector<json>& objects, const std::string& before,
                     std::vector<InputDifference>& differences) {
  std::set<std::string> pointers;
  for (const json& object : objects)
    for (const auto& [pointer, value] : object.items()) pointers.insert(pointer);
  for (const std::string& pointer : pointers) {
    std::vector<json> values;
    for (const json& object : objects) values.push_back(object.value(pointer, json()));
    if (std::ranges::any_of(values, [&](const json& value) { return value != values.front(); }))
      differences.push_back({.pointer = before + pointer, .values = std::move(values)});
  }
}

/// Adds a difference in the contents of the files that scenarios name, of which only the hash is known.
void add_file_differences(std::span<const SavedResult> results, std::vector<InputDifference>& differences) {
  const auto differs = [&](const SavedResult& result) { return have_other_files(results.front(), result); };
  if (std::ranges::none_of(results, differs)) return;
  InputDifference files{.pointer = "hash of the contents of the files that the scenario names", .values = {}};
  for (const SavedResult& result : results)
    files.values.push_back(value_at(result.document, "/scenario_hash"));
  differences.push_back(std::move(files));
}

/// The differences in version, number of seeds, engine, and scenario, without its name and algorithms.
std::vector<InputDifference> input_differences(std::span<const SavedResult> results) {
  std::vector<json> scenarios;
  std::vector<json> others;
  for (const SavedResult& result : results) {
    json scenario = result.scenario;
    scenario.erase("name");
    scenario.erase("algorithms");
    scenario["engine"] = result.engine;
    scenarios.push_back(scenario.flatten());
    others.push_back({{"version of Starling", value_at(result.document, "/starling")},
                      {"number of seeds", result.runs.front().seeds}});
  }
  std::vector<InputDifference> differences;
  add_differences(others, "", differences);
  add_differences(scenarios, "", differences);
  add_file_differences(results, differences);
  return differences;
}

/// Adds the differences in the options of an algorithm that all results have.
void add_option_differences(std::span<const SavedResult> results, const std::string& label,
                            std::vector<InputDifference>& differences) {
  std::vector<json> options;
  for (const SavedResult& result : results) options.push_back(result.run_named(label)->asked_for().flatten());
  add_differences(options, label, differences);
}

std::vector<PartDifference> greatest_first(std::vector<PartDifference> parts) {
  std::ranges::stable_sort(parts, std::greater<>(),
                           [](const PartDifference& part) { return std::abs(part.difference_s); });
  return parts;
}

std::vector<PartDifference> part_differences(const Breakdown& first, const Breakdown& other) {
  std::vector<PartDifference> parts;
  for (const BreakdownPart& part : breakdown_parts)
    parts.push_back({part.key, part.name, other.*part.seconds - first.*part.seconds});
  return greatest_first(std::move(parts));
}

/// The differences of critical paths, summed over parts with the same `name`.
std::vector<PartDifference> path_differences(const SavedRun& first, const SavedRun& other,
                                             std::string SavedPathPart::*name) {
  if (first.path.empty() || other.path.empty()) return {};
  std::map<std::string, double> differences_s;
  for (const SavedPathPart& part : other.path) differences_s[part.*name] += part.s;
  for (const SavedPathPart& part : first.path) differences_s[part.*name] -= part.s;
  std::vector<PartDifference> parts;
  for (const auto& [spent_on, difference_s] : differences_s)
    parts.push_back({spent_on, spent_on, difference_s});
  return greatest_first(std::move(parts));
}

/// The relative rounding error of times.
constexpr double rounding_of_times = 1e-9;

/// Whether two times are equal within rounding errors.
bool are_alike(double first_s, double other_s) {
  return std::abs(first_s - other_s) <= rounding_of_times * first_s;
}

/// The difference of the mean iteration times; 0 if it is within rounding errors.
double difference_of_means_s(const SavedRun& first, const SavedRun& other) {
  return are_alike(first.mean_s, other.mean_s) ? 0 : other.mean_s - first.mean_s;
}

/// The 95 % interval of a difference from a mean. A difference and an error within the rounding errors of the
/// mean count as 0.
std::optional<Interval> interval_beside(double mean_s, SampleEstimate difference_s) {
  if (std::abs(difference_s.value) <= rounding_of_times * mean_s) difference_s.value = 0;
  difference_s.standard_error = error_beyond_rounding(difference_s.standard_error, mean_s);
  return interval_95(difference_s);
}

std::optional<BusiestLink> busiest_of(const SavedRun& run) {
  const auto found = std::ranges::max_element(run.links, {}, &SavedLink::bound_s);
  if (found == run.links.end()) return std::nullopt;
  const auto alike = std::ranges::count_if(
      run.links, [&](const SavedLink& link) { return are_alike(found->bound_s, link.bound_s); });
  return BusiestLink{*found, alike - 1};
}

/// The differences of all links that either result lists; a link that a result does not list was not used
/// there.
std::vector<LinkDifference> link_differences(const SavedRun& first, const SavedRun& other) {
  std::map<std::string, LinkDifference> differences;
  const auto add = [&](const SavedRun& run, double sign) {
    for (const SavedLink& link : run.links) {
      LinkDifference& difference = differences[link.name];
      difference.bound_s += sign * link.bound_s;
      difference.busy_s += sign * link.busy_fraction * run.mean_s;
    }
  };
  add(first, -1);
  add(other, 1);
  std::vector<LinkDifference> links;
  for (auto& [name, difference] : differences) {
    difference.name = name;
    links.push_back(std::move(difference));
  }
  return links;
}

/// The link that changed most. Busy fractions are of the whole run, so busy times per mean iteration are
/// inexact by the share of the warm-up.
std::optional<LinkDifference> changed_most(const SavedRun& first, const SavedRun& other) {
  constexpr double least_share = 0.01;
  if (first.links.empty() || other.links.empty()) return std::nullopt;
  const std::vector<LinkDifference> links = link_differences(first, other);
  const auto change_s = [](const LinkDifference& link) {
    return std::max(std::abs(link.bound_s), std::abs(link.busy_s));
  };
  const LinkDifference& most = *std::ranges::max_element(links, {}, change_s);
  if (change_s(most) < least_share * first.mean_s) return std::nullopt;
  LinkDifference changed = most;
  changed.as_much =
      std::ranges::count_if(
          links, [&](const LinkDifference& link) { return are_alike(change_s(most), change_s(link)); }) -
      1;
  return changed;
}

/// The correlation of two series, −1 … 1; nullopt if either varies only within rounding errors.
std::optional<double> correlation_of(std::span<const double> first, std::span<const double> other) {
  const double first_mean = plain_mean(first);
  const double other_mean = plain_mean(other);
  const double first_std = standard_deviation(first, first_mean);
  const double other_std = standard_deviation(other, other_mean);
  if (first_std <= rounding_of_times * first_mean || other_std <= rounding_of_times * other_mean)
    return std::nullopt;
  const double scale = first_std * other_std;
  double product = 0;
  for (std::size_t i = 0; i < first.size(); ++i) product += (first[i] - first_mean) * (other[i] - other_mean);
  return std::clamp(product / static_cast<double>(first.size()) / scale, -1.0, 1.0);
}

/// The series of a run's iterations, without their times.
SampleSeries series_of(const SavedRun& run) {
  return {.values = {},
          .period = static_cast<std::size_t>(run.pattern_period),
          .least_length = static_cast<std::size_t>(run.least_batch)};
}

/// Whether the mean of a run estimates that of a longer one: not if iteration times drift, or parts of a
/// period are counted.
bool is_settled(const SavedRun& run) {
  return !run.is_drifting &&
         !counted_partially(run.iterations.value_or(0), run.pattern_period, run.replications);
}

bool are_settled(const SavedRun& first, const SavedRun& other) {
  return is_settled(first) && is_settled(other);
}

/// The interval of the mean of these differences, iteration by iteration; nullopt if they are too few for the
/// patterns of both runs.
std::optional<Interval> interval_side_by_side(const SavedRun& first, const SavedRun& other,
                                              const std::vector<double>& differences_s) {
  SampleSeries differences = series_of_both(series_of(first), series_of(other));
  differences.values = differences_s;
  return interval_beside(first.mean_s, mean_of_series(differences));
}

/// The durations of the iterations that both count, of the first and of the other.
std::pair<std::vector<double>, std::vector<double>> side_by_side(const SavedIterations& first,
                                                                 const SavedIterations& other) {
  std::pair<std::vector<double>, std::vector<double>> durations_s;
  for (std::size_t i = 0; i < first.numbers.size(); ++i) {
    const auto found = std::ranges::lower_bound(other.numbers, first.numbers[i]);
    if (found == other.numbers.end() || *found != first.numbers[i]) continue;
    durations_s.first.push_back(first.durations_s[i]);
    durations_s.second.push_back(other.durations_s[static_cast<std::size_t>(found - other.numbers.begin())]);
  }
  return durations_s;
}

/// Sets `aligned`, and, if both means are over the same iterations, the interval of their difference.
void align(const SavedIterations& first, const SavedRun& first_run, const SavedIterations& other,
           const SavedRun& other_run, RunDifference& difference) {
  const auto [first_s, other_s] = side_by_side(first, other);
  if (first_s.empty()) return;
  std::vector<double> differences_s;
  for (std::size_t i = 0; i < first_s.size(); ++i) differences_s.push_back(other_s[i] - first_s[i]);
  difference.aligned =
      AlignedIterations{.count = static_cast<std::int64_t>(first_s.size()),
                        .correlation = correlation_of(first_s, other_s),
                        .difference_std_s = standard_deviation(differences_s, plain_mean(differences_s))};
  if (first.numbers != other.numbers || !are_settled(first_run, other_run)) return;
  if (const auto interval = interval_side_by_side(first_run, other_run, differences_s))
    difference.interval_95_s = interval;
}

/// Whether both have the same seeds, several of them, and so the same random draws.
bool have_same_seeds(const SavedRun& first, const SavedRun& other) {
  return first.workers == other.workers && first.replications.size() > 1 &&
         std::ranges::equal(first.replications, other.replications, {}, &Replication::seed,
                            &Replication::seed);
}

/// The interval of the mean difference, seed by seed.
std::optional<Interval> interval_of_seeds(const SavedRun& first, const SavedRun& other) {
  std::vector<double> differences_s;
  for (std::size_t i = 0; i < first.replications.size(); ++i)
    differences_s.push_back(other.replications[i].mean_s - first.replications[i].mean_s);
  return interval_beside(first.mean_s, estimate_mean(differences_s));
}

/// The interval of the difference of two means by their seeds or their own intervals; nullopt if either has
/// none.
std::optional<Interval> interval_of_difference(const SavedRun& first, const SavedRun& other) {
  if (!first.interval_95_s || !other.interval_95_s || !are_settled(first, other)) return std::nullopt;
  if (have_same_seeds(first, other)) return interval_of_seeds(first, other);
  const double both = std::hypot(half_width(*first.interval_95_s, first.mean_s),
                                 half_width(*other.interval_95_s, other.mean_s));
  const double difference = difference_of_means_s(first, other);
  return Interval{.least = difference - both, .greatest = difference + both};
}

RunDifference difference_of(const Compared& first, const Compared& other, const std::string& label) {
  const SavedRun& first_run = *first.result.run_named(label);
  const SavedRun& other_run = *other.result.run_named(label);
  RunDifference difference{.mean_s = other_run.mean_s,
                           .difference_s = difference_of_means_s(first_run, other_run),
                           .interval_95_s = interval_of_difference(first_run, other_run),
                           .parts = part_differences(first_run.breakdown_s, other_run.breakdown_s),
                           .path = path_differences(first_run, other_run, &SavedPathPart::spent_on),
                           .path_parts = path_differences(first_run, other_run, &SavedPathPart::what),
                           .busiest = busiest_of(other_run),
                           .changed_link = changed_most(first_run, other_run)};
  if (first_run.workers != other_run.workers) return difference;
  const SavedIterations iterations = saved_iterations_of(other, other_run);
  difference.counted = counted_iterations(iterations);
  align(saved_iterations_of(first, first_run), first_run, iterations, other_run, difference);
  return difference;
}

ComparedRun compared_run(std::span<const Compared> compared, const std::string& label) {
  const SavedRun& first = *compared.front().result.run_named(label);
  ComparedRun run{.label = label,
                  .first_mean_s = first.mean_s,
                  .first_busiest = busiest_of(first),
                  .first_counted = counted_iterations(saved_iterations_of(compared.front(), first)),
                  .others = {}};
  for (const Compared& other : compared.subspan(1))
    run.others.push_back(difference_of(compared.front(), other, label));
  return run;
}

/// The labels that all results have, in the order of the first one; sets `not_in_all` to the others.
std::vector<std::string> common_labels(std::span<const SavedResult> results, Comparison& comparison) {
  std::vector<std::string> labels;
  for (const SavedResult& result : results)
    for (const SavedRun& run : result.runs) {
      const bool is_everywhere = std::ranges::all_of(
          results, [&](const SavedResult& each) { return each.run_named(run.label) != nullptr; });
      if (is_everywhere && &result == &results.front()) labels.push_back(run.label);
      if (!is_everywhere && std::ranges::count(comparison.not_in_all, run.label) == 0)
        comparison.not_in_all.push_back(run.label);
    }
  if (labels.empty())
    throw ScenarioError({results.back().file.string(), "/runs", "no algorithm is in all results",
                         fmt::format("{}", fmt::join(comparison.not_in_all, ", ")),
                         "results that have an algorithm with the same label"});
  return labels;
}

}  // namespace

Comparison compare_results(std::span<const SavedResult> results) {
  Comparison comparison;
  std::vector<Compared> compared;
  for (const SavedResult& result : results) {
    const std::filesystem::path folder = result.file.parent_path();
    comparison.names.push_back((folder.empty() ? result.file : folder).string());
    compared.push_back(with_iterations(result));
  }
  const std::vector<std::string> labels = common_labels(results, comparison);
  comparison.inputs = input_differences(results);
  for (const std::string& label : labels) {
    add_option_differences(results, label, comparison.inputs);
    comparison.runs.push_back(compared_run(compared, label));
  }
  return comparison;
}

}  // namespace starling
