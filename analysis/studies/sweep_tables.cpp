#include "analysis/studies/sweep_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/results/files/saved_result.hpp"
#include "analysis/results/result.hpp"
#include "analysis/studies/sweep_database.hpp"
#include "analysis/studies/sweep_figures.hpp"
#include "io/json/json_text.hpp"
#include "io/output_file.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/csv_field.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr const char* rows_name = "sweep.csv";
constexpr const char* summaries_name = "sweep_summary.csv";
constexpr const char* failed_name = "sweep_failed.csv";

std::string value_fields(const SweepPlan& plan, std::int64_t combination) {
  std::string text;
  for (const json& value : plan.values(combination)) text += fmt::format(",{}", csv_field(value_text(value)));
  return text;
}

std::string pointer_fields(const SweepPlan& plan) {
  std::string text;
  for (const std::string& pointer : plan.pointers()) text += fmt::format(",{}", csv_field(pointer));
  return text;
}

/// The blocks of the `algorithm`-th algorithm or job, one of each run.
std::vector<const json*> blocks_of_algorithm(const std::vector<SweepRun>& runs, std::size_t algorithm) {
  std::vector<const json*> blocks;
  for (const SweepRun& run : runs) blocks.push_back(&blocks_of(run.result).at(algorithm));
  return blocks;
}

/// The mean of rates over runs that process the same number of samples: their harmonic mean.
SampleEstimate estimate_rate(const std::vector<double>& rates) {
  std::vector<double> times;
  for (const double rate : rates) times.push_back(1 / rate);
  return estimate_ratio(std::vector<double>(rates.size(), 1), times);
}

/// The mean of a figure over runs; nullopt unless every run has it.
std::optional<SampleEstimate> estimate_of(const SweepFigure& figure, const std::vector<const json*>& blocks) {
  std::vector<double> values;
  for (const json* block : blocks) {
    const auto value = value_of(figure, *block);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return figure.is_rate ? estimate_rate(values) : estimate_mean(values);
}

/// Takes over the standard error that a run states of its mean; the degrees of freedom follow from its
/// interval.
void take_own_error(const json& block, SampleEstimate& mean) {
  const json& error = block.at("standard_error_s");
  const auto interval = saved_interval(block, "interval_95_s");
  if (!error.is_number() || !interval) return;
  mean.standard_error = error.get<double>();
  const double reach = half_width(*interval, mean.value);
  mean.degrees_of_freedom = mean.standard_error > 0 ? degrees_of_reach_95(reach / mean.standard_error) : 1;
}

/// The figure `standard_error_s` of several seeds: the error of their mean, not the mean of their own errors.
SampleEstimate error_of_seeds(const SweepSummary& summary) {
  return {.value = summary.figures[index_of_figure("iteration_time_s")]->standard_error};
}

/// The speed-up against the first algorithm, paired seed by seed, as both had the same random draws; nullopt
/// if all times are 0.
std::optional<SampleEstimate> speedup_of(const std::vector<const json*>& first,
                                         const std::vector<const json*>& blocks) {
  const SweepFigure& time = sweep_figures()[index_of_figure("iteration_time_s")];
  std::vector<double> numerators;
  std::vector<double> denominators;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    numerators.push_back(*value_of(time, *first[i]));
    denominators.push_back(*value_of(time, *blocks[i]));
  }
  if (std::ranges::all_of(denominators, [](double value) { return value == 0; })) return std::nullopt;
  return estimate_ratio(numerators, denominators);
}

std::string interval_fields(const std::optional<SampleEstimate>& estimate) {
  const auto interval = estimate ? interval_95_not_below_0(*estimate) : std::nullopt;
  if (!interval) return ",,,";
  return fmt::format(",{},{},{}", estimate->standard_error, interval->least, interval->greatest);
}

/// The interval that a single run states of its speed-up.
std::string own_interval_fields(const json& block) {
  const std::optional<Interval> interval = saved_interval(block, "speedup_interval_95");
  return interval ? fmt::format(",,{},{}", interval->least, interval->greatest) : ",,,";
}

void add_runs(const SweepPlan& plan, const SweepRun& run, std::string& text) {
  for (const json& block : blocks_of(run.result)) {
    text += fmt::format("{},{},{},{}{}", run.combination, run.replication,
                        run.result.at("scenario").at("seed").get<std::uint64_t>(), csv_field(label_of(block)),
                        value_fields(plan, run.combination));
    for (const SweepFigure& figure : sweep_figures())
      text += fmt::format(",{}", csv_field(value_of(figure, block)));
    text += '\n';
  }
}

void add_summaries(const SweepPlan& plan, std::int64_t combination, const std::vector<SweepRun>& runs,
                   std::string& text) {
  const std::size_t speedup = index_of_figure("speedup");
  const std::size_t own_error = index_of_figure("standard_error_s");
  const json& blocks = blocks_of(runs.front().result);
  std::size_t algorithm = 0;
  for (const SweepSummary& summary : summaries_of(runs)) {
    text += fmt::format("{},{},{}{}", combination, csv_field(summary.algorithm), summary.seeds,
                        value_fields(plan, combination));
    text += interval_fields(summary.figures[index_of_figure("iteration_time_s")]);
    text += runs.size() > 1 ? interval_fields(summary.figures[speedup])
                            : own_interval_fields(blocks.at(algorithm));
    for (std::size_t i = 0; i < summary.figures.size(); ++i)
      if (i != own_error)
        text += fmt::format(
            ",{}", csv_field(summary.figures[i] ? std::optional(summary.figures[i]->value) : std::nullopt));
    text += '\n';
    ++algorithm;
  }
}

/// Whether the mean of any of these blocks depends on which iterations are counted: iteration times drift, or
/// parts of a period are counted.
bool depends_on_counted(const std::vector<const json*>& blocks) {
  return std::ranges::any_of(blocks, [](const json* block) {
    return block->contains("drift_s") || counted_partially(*block).has_value();
  });
}

void forget_error(SweepSummary& summary, std::string_view figure) {
  if (auto& estimate = summary.figures[index_of_figure(figure)])
    estimate->standard_error = estimate->degrees_of_freedom = 0;
}

/// Removes the errors of means whose bias more seeds do not reduce.
void forget_errors(SweepSummary& summary) {
  forget_error(summary, "iteration_time_s");
  for (const SweepFigure& figure : sweep_figures())
    if (figure.is_rate) forget_error(summary, figure.name);
  summary.figures[index_of_figure("standard_error_s")].reset();
}

/// The names of all figures but one, each behind a comma.
std::string figure_names(std::string_view left_out) {
  std::string text;
  for (const SweepFigure& figure : sweep_figures())
    if (figure.name != left_out) text += fmt::format(",{}", figure.name);
  return text;
}

/// The last `count` keys of a pointer, or all if it has fewer.
std::string last_keys(const std::string& pointer, std::size_t count) {
  std::size_t start = pointer.size();
  for (std::size_t i = 0; i < count && start != 0 && start != std::string::npos; ++i)
    start = pointer.rfind('/', start - 1);
  return pointer.substr(start == std::string::npos ? 0 : start + 1);
}

bool is_number(const std::string& key) { return key.find_first_not_of("0123456789") == std::string::npos; }

}  // namespace

std::vector<SweepSummary> summaries_of(const std::vector<SweepRun>& runs) {
  std::vector<SweepSummary> summaries;
  const auto first = blocks_of_algorithm(runs, 0);
  for (std::size_t i = 0; i < blocks_of(runs.front().result).size(); ++i) {
    const auto blocks = blocks_of_algorithm(runs, i);
    SweepSummary summary{
        .algorithm = label_of(*blocks.front()), .seeds = static_cast<int>(blocks.size()), .figures = {}};
    for (const SweepFigure& figure : sweep_figures()) summary.figures.push_back(estimate_of(figure, blocks));
    if (blocks.size() == 1)
      take_own_error(*blocks.front(), *summary.figures[index_of_figure("iteration_time_s")]);
    else
      summary.figures[index_of_figure("standard_error_s")] = error_of_seeds(summary);
    if (blocks.size() > 1 && blocks.front()->contains("speedup"))
      summary.figures[index_of_figure("speedup")] = speedup_of(first, blocks);
    if (depends_on_counted(blocks)) forget_errors(summary);
    if (depends_on_counted(first) || depends_on_counted(blocks)) forget_error(summary, "speedup");
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

void for_each_combination(const SweepStore& store,
                          const std::function<void(std::int64_t, const std::vector<SweepRun>&)>& visit) {
  std::vector<SweepRun> runs;
  const auto visit_runs = [&] {
    if (!runs.empty())
      naming_file(store.path(), written_sweep, [&] { visit(runs.front().combination, runs); });
    runs.clear();
  };
  store.for_each_point([&](const SweepRun& run) {
    if (!runs.empty() && run.combination != runs.front().combination) visit_runs();
    if (run.is_done()) runs.push_back(run);
  });
  visit_runs();
}

void write_sweep_tables(const SweepStore& store, const std::filesystem::path& folder) {
  const SweepPlan& plan = store.plan();
  const std::string pointers = pointer_fields(plan);
  std::string rows = fmt::format("combination,replication,seed,algorithm{}{}\n", pointers, figure_names(""));
  std::string failed = fmt::format("combination,replication{},status,reason\n", pointers);
  std::string summaries = fmt::format(
      "combination,algorithm,seeds{},iteration_time_standard_error_s,iteration_time_95_least_s,"
      "iteration_time_95_greatest_s,speedup_standard_error,speedup_95_least,speedup_95_greatest{}\n",
      pointers, figure_names("standard_error_s"));
  for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
    for (const SweepRun& run : runs) add_runs(plan, run, rows);
    add_summaries(plan, combination, runs, summaries);
  });
  for (std::int64_t i = 0; i < plan.combinations(); ++i)
    if (const auto reason = plan.filtered(i))
      failed += fmt::format("{},{},skipped,{}\n", i, value_fields(plan, i), csv_field(*reason));
  store.for_each_failure([&](const SweepRun& run) {
    failed += fmt::format("{},{}{},failed,{}\n", run.combination, run.replication,
                          value_fields(plan, run.combination), csv_field(run.error));
  });
  write_atomically(folder / rows_name, rows);
  write_atomically(folder / summaries_name, summaries);
  write_atomically(folder / failed_name, failed);
}

void check_places_of_tables(const std::filesystem::path& folder) {
  for (const char* name : {rows_name, summaries_name, failed_name})
    if (std::filesystem::is_directory(folder / name))
      throw ScenarioError(
          {"--out", "", "a folder has the name of a table", (folder / name).string(), "another folder"});
}

std::string name_of_scenario(const SweepRun& run) { return run.result.at("scenario").value("name", ""); }

std::vector<std::string> short_names(const std::vector<std::string>& pointers) {
  std::vector<std::string> names;
  for (const std::string& pointer : pointers) {
    std::size_t count = is_number(last_keys(pointer, 1)) ? 2 : 1;
    const auto is_shared = [&](const std::string& other) {
      return other != pointer && last_keys(other, count) == last_keys(pointer, count);
    };
    while (std::ranges::any_of(pointers, is_shared)) ++count;
    names.push_back(last_keys(pointer, count));
  }
  return names;
}

std::string combination_text(const SweepPlan& plan, std::int64_t combination) {
  const std::vector<std::string> names = short_names(plan.pointers());
  const std::vector<json> values = plan.values(combination);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!values[i].is_null())
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", names[i], value_text(values[i]));
  return text;
}

}  // namespace starling
