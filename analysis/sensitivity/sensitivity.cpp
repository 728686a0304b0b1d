#include "analysis/sensitivity/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "analysis/model/exact_runs.hpp"
#include "base/numbers/common_period.hpp"
#include "io/json/json_text.hpp"
#include "io/options/reader.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr double step = 0.1;

bool is_positive_quantity(const json& value) { return value.is_number_float() && value.get<double>() > 0; }

bool is_list_of_quantities(const json& value) {
  return value.is_array() && !value.empty() && std::ranges::all_of(value, is_positive_quantity);
}

void add_numbers(const json& value, const std::string& pointer, std::vector<std::string>& pointers) {
  if (is_positive_quantity(value) || is_list_of_quantities(value)) {
    pointers.push_back(pointer);
  } else if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) add_numbers(inner, pointer_to(pointer, key), pointers);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) add_numbers(value[i], pointer_to(pointer, i), pointers);
  }
}

/// A number, or every number of a list, times the factor.
json scaled(const json& value, double factor) {
  if (!value.is_array()) return value.get<double>() * factor;
  json all = json::array();
  for (const json& number : value) all.push_back(number.get<double>() * factor);
  return all;
}

/// The mean iteration time of one run over that of another one of the same algorithm; 1 if either is 0.
SampleEstimate time_ratio(const RunResult& run, const RunResult& other) {
  const bool takes_time = run.iteration_time_s.mean > 0 && other.iteration_time_s.mean > 0;
  if (!takes_time) return {.value = 1};
  return ratio_of_times(run.sampling, other.sampling);
}

/// The elasticity by a ratio of times for numbers in the ratio `factor`.
SampleEstimate elasticity_of(const SampleEstimate& ratio, double factor) {
  return {.value = std::log(ratio.value) / std::log(factor),
          .standard_error = ratio.standard_error / ratio.value / std::log(factor),
          .degrees_of_freedom = ratio.degrees_of_freedom};
}

/// The most iterations that any algorithm counts, rounded up to whole periods of all algorithms where the
/// scenario allows so many.
std::int64_t counted_of_all(const Scenario& scenario, const Result& result) {
  std::int64_t counted = 1;
  std::int64_t period = 1;
  for (const RunResult& run : result.runs) {
    counted = std::max(counted, run.iterations);
    period = common_period(period, run.pattern_period);
  }
  const std::int64_t most = scenario.precision->most_iterations - scenario.warmup_iterations;
  return period > most ? counted : std::max(counted, whole_periods(counted, period, most));
}

/// Runs a scenario with a changed number.
class Variation {
 public:
  Variation(const Scenario& scenario, const nlohmann::ordered_json& document, const Result& result)
      : file_(scenario.file), folder_(scenario.folder), document_(without_errors(document)) {
    document_.erase("learning");  // no time depends on it
    if (!scenario.precision) return;
    // All runs have equally many iterations, so that differences do not come from other draws.
    document_["iterations"] = scenario.warmup_iterations + counted_of_all(scenario, result);
    document_["warmup_iterations"] = scenario.warmup_iterations;
  }

  json value(const std::string& pointer) const { return document_.at(json::json_pointer(pointer)); }

  /// Absent if the scenario is not valid with the number multiplied by `factor`.
  std::optional<Result> run(const std::string& pointer, double factor) const {
    json changed = document_;
    json& value = changed.at(json::json_pointer(pointer));
    value = scaled(value, factor);
    std::optional<Scenario> scenario;
    try {
      scenario = read_scenario_document(changed, file_, folder_);
    } catch (const ScenarioError&) {
      return std::nullopt;
    }
    return simulate_evaluated(*scenario);
  }

  /// The scenario without a change, with as many iterations as the others.
  Result run_as_it_is() const {
    return simulate_evaluated(read_scenario_document(document_, file_, folder_));
  }

  /// With the compute times of all workers multiplied by `factor`.
  Result run_slowed(double factor) const {
    Scenario scenario = read_scenario_document(document_, file_, folder_);
    SlowWorkers all{.workers = std::vector<Rank>(static_cast<std::size_t>(scenario.cluster.workers)),
                    .factor = factor};
    std::iota(all.workers.begin(), all.workers.end(), 0);
    scenario.imbalance.emplace_back(std::move(all));
    return simulate_evaluated(scenario);
  }

 private:
  std::filesystem::path file_;
  std::filesystem::path folder_;
  json document_;
};

/// The elasticities of a decrease and an increase by 1 + step; absent where they differ too little.
std::optional<SidesOfKink> kink_between(const RunResult& less, const RunResult& as_it_is,
                                        const RunResult& more) {
  constexpr double least_difference = 0.05;
  constexpr double errors = 2;
  const SampleEstimate of_less = elasticity_of(time_ratio(as_it_is, less), 1 + step);
  const SampleEstimate of_more = elasticity_of(time_ratio(more, as_it_is), 1 + step);
  const double error = errors * std::hypot(of_less.standard_error, of_more.standard_error);
  if (std::abs(of_less.value - of_more.value) <= std::max(least_difference, error)) return std::nullopt;
  return SidesOfKink{.less = of_less.value, .more = of_more.value};
}

/// Returns the result with a number multiplied by `factor`; absent if that is not valid.
using RunWith = std::function<std::optional<Result>(double factor)>;

void vary(NumberSensitivity& number, const RunWith& run_with, const Result& result) {
  const std::optional<Result> less = run_with(1 / (1 + step));
  const std::optional<Result> more = run_with(1 + step);
  if (!less && !more) return;
  number.is_one_sided = !less || !more;
  const double factor = (less ? 1 + step : 1) * (more ? 1 + step : 1);
  const Result& lower = less ? *less : result;
  const Result& upper = more ? *more : result;
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    number.elasticities.push_back(elasticity_of(time_ratio(upper.runs[i], lower.runs[i]), factor));
    number.kinks.push_back(number.is_one_sided ? std::nullopt
                                               : kink_between(lower.runs[i], result.runs[i], upper.runs[i]));
  }
}

double mean_of_trace_s(const ComputeTrace& trace, int workers) {
  std::vector<double> times_s;
  for (const TracePoint& point : trace.points)
    if (point.worker < workers) times_s.push_back(point.compute_s);
  return plain_mean(times_s);
}

/// The times that replace the workload's, as a number without elasticities yet; absent if none do.
std::optional<NumberSensitivity> times_in_place(const Scenario& scenario,
                                                const nlohmann::ordered_json& document) {
  const auto cause = std::ranges::find_if(scenario.imbalance, &CauseNature::replaces_compute_time, nature_of);
  if (cause == scenario.imbalance.end()) return std::nullopt;
  std::string pointer = "/workload/imbalance";
  if (document.at("workload").at("imbalance").is_array())
    pointer = pointer_to(pointer, static_cast<std::size_t>(cause - scenario.imbalance.begin()));
  NumberSensitivity times{.pointer = pointer_to(pointer, "file"), .value = {}};
  const auto* const drawn = std::get_if<DrawnTime>(&*cause);
  if (drawn != nullptr && drawn->shipped_name) times.pointer = pointer_to(pointer, "name");
  times.name = times.pointer;
  times.value = drawn != nullptr ? drawn->distribution->mean()
                                 : mean_of_trace_s(std::get<ComputeTrace>(*cause), scenario.cluster.workers);
  return times;
}

/// The pointer with names in place of indices, for elements of the cluster's lists that have a name. Not for
/// those of the workload: the "name" of a distribution is not the name of the element.
std::string name_of_number(const nlohmann::ordered_json& document, const std::string& pointer) {
  if (!pointer.starts_with("/cluster/")) return pointer;
  std::string name;
  std::size_t begin = 0;
  while (begin != std::string::npos) {
    const std::size_t end = pointer.find('/', begin + 1);
    const auto& holder = document.at(nlohmann::ordered_json::json_pointer(pointer.substr(0, begin)));
    const auto& held = document.at(nlohmann::ordered_json::json_pointer(pointer.substr(0, end)));
    const bool has_name = holder.is_array() && held.is_object() && held.contains("name");
    name += has_name ? "/" + held.at("name").get<std::string>() : pointer.substr(begin, end - begin);
    begin = end;
  }
  return name;
}

}  // namespace

double NumberSensitivity::greatest() const {
  double greatest = 0;
  for (const SampleEstimate& each : elasticities) greatest = std::max(greatest, std::abs(each.value));
  return greatest;
}

std::vector<std::string> numbers_that_vary(const nlohmann::ordered_json& as_read) {
  std::vector<std::string> pointers;
  for (const char* part : {"cluster", "workload"})
    if (as_read.contains(part)) add_numbers(without_errors(as_read.at(part)), pointer_to("", part), pointers);
  return pointers;
}

nlohmann::ordered_json document_to_vary(const Scenario& scenario, const json& written) {
  nlohmann::ordered_json document = scenario.as_read;
  if (value_at(written, "/workload/imbalance").is_object()) {
    nlohmann::ordered_json& imbalance = document.at("workload").at("imbalance");
    imbalance = nlohmann::ordered_json(imbalance.at(0));
  }
  nlohmann::ordered_json& cluster = document.at("cluster");
  if (cluster.contains("protocols") || scenario.message_costs.protocols.empty()) return document;
  for (const Protocol& protocol : scenario.message_costs.protocols)
    cluster["protocols"].push_back({{"name", protocol.name},
                                    {"efficiency", protocol.efficiency},
                                    {"intra_host_efficiency", protocol.intra_host_efficiency},
                                    {"latency", protocol.latency_s},
                                    {"intra_host_latency", protocol.intra_host_latency_s}});
  return document;
}

Sensitivity sensitivity_of(const Scenario& scenario, const nlohmann::ordered_json& document,
                           const Result& result, const std::function<void()>& varied) {
  Sensitivity sensitivity{.labels = {}, .step = step, .numbers = {}};
  for (const RunResult& run : result.runs) sensitivity.labels.push_back(run.label);
  const Variation variation(scenario, document, result);
  const std::optional<Result> as_long =
      scenario.precision ? std::optional(variation.run_as_it_is()) : std::nullopt;
  const Result& as_it_is = as_long ? *as_long : result;
  for (const std::string& pointer : numbers_that_vary(document)) {
    NumberSensitivity number{
        .pointer = pointer, .value = variation.value(pointer), .name = name_of_number(document, pointer)};
    vary(
        number, [&](double factor) { return variation.run(pointer, factor); }, as_it_is);
    if (!number.elasticities.empty()) sensitivity.numbers.push_back(std::move(number));
    if (varied) varied();
  }
  if (auto times = times_in_place(scenario, document)) {
    vary(
        *times, [&](double factor) { return variation.run_slowed(factor); }, as_it_is);
    sensitivity.times_in_place = times->pointer;
    sensitivity.numbers.push_back(std::move(*times));
  }
  std::ranges::stable_sort(sensitivity.numbers, std::greater<>(), &NumberSensitivity::greatest);
  return sensitivity;
}

}  // namespace starling
