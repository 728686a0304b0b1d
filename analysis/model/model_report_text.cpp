#include "analysis/model/model_report_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/statistics/interval_json.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

std::string time_cell(const SampleEstimate& mean_s) { return time_text(mean_s.value, mean_s.standard_error); }

/// Whether a cell of the algorithm's row shows a standard error.
bool has_error_shown(const ModeledAlgorithm& algorithm) {
  const auto is_shown = [](const SampleEstimate& mean_s) {
    return is_error_shown(mean_s.value, mean_s.standard_error);
  };
  return (algorithm.model && is_shown(algorithm.model->sampling.mean_s)) ||
         (algorithm.simulated && is_shown(algorithm.simulated->mean_s));
}

/// Differences below 5·10⁻⁷ are rounding, and are shown as 0.
std::string difference_cell(const ModeledAlgorithm& algorithm) {
  constexpr double least_shown = 5e-7;
  const std::optional<double> difference = algorithm.difference();
  if (!difference) return "–";
  if (std::abs(*difference) < least_shown) return "0 %";
  return fmt::format("{:+.2g} %", 100 * *difference);
}

TableRow row_of(const ModeledAlgorithm& algorithm, bool is_simulated) {
  const auto& model = algorithm.model;
  TableRow row{algorithm.label, model ? time_cell(model->sampling.mean_s) : "–"};
  if (is_simulated) {
    row.push_back(algorithm.simulated ? time_cell(algorithm.simulated->mean_s) : "–");
    row.push_back(difference_cell(algorithm));
  }
  row.push_back(model ? name_of(model->validity) : "none");
  return row;
}

/// A line for each reason, with the algorithms that have it, in order of first appearance.
std::string reasons_text(const ModelReport& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> said;
  const auto say = [&](const std::string& reason, const std::string& label) {
    for (auto& [before, labels] : said)
      if (before == reason) return labels.push_back(label);
    said.push_back({reason, {label}});
  };
  for (const ModeledAlgorithm& algorithm : report.algorithms) {
    if (!algorithm.model) say(algorithm.reason_without_model, algorithm.label);
    for (const std::string& reason : algorithm.model.value_or(ModeledTime{}).reasons)
      say(reason, algorithm.label);
  }
  std::string text;
  for (const auto& [reason, labels] : said) text += fmt::format("{}: {}\n", fmt::join(labels, ", "), reason);
  return text;
}

/// Name, workers, engine and iterations: the number that all algorithms have, or "fewest to most".
std::string heading_of(const ModelReport& report) {
  std::string text =
      fmt::format("{}: {}, {} engine, ", report.name, counted(report.workers, "worker"), report.engine);
  const auto [least, most] =
      std::ranges::minmax_element(report.algorithms, {}, &ModeledAlgorithm::iterations);
  if (least != most && least->iterations < most->iterations) text += fmt::format("{} to ", least->iterations);
  text += counted(most == report.algorithms.end() ? 0 : most->iterations, "iteration");
  if (report.warmup_iterations > 0) text += fmt::format(" after {} to warm up", report.warmup_iterations);
  return text;
}

Json time_json(const SampleEstimate& mean_s) {
  Json json{{"iteration_time_s", mean_s.value}};
  if (const auto interval = interval_95_not_below_0(mean_s)) {
    json["standard_error_s"] = mean_s.standard_error;
    json["interval_95_s"] = *interval;
  }
  return json;
}

Json model_json(const ModeledTime& model) {
  Json json = time_json(model.sampling.mean_s);
  const Breakdown& parts = model.breakdown_s;
  json["breakdown_s"] = {{"delay", parts.delay},
                         {"forward", parts.forward},
                         {"backward", parts.backward},
                         {"update", parts.update},
                         {"waiting", parts.exposed_communication + parts.imbalance_wait}};
  json["validity"] = name_of(model.validity);
  json["reasons"] = model.reasons;
  return json;
}

}  // namespace

std::string model_table(const ModelReport& report) {
  const bool is_simulated = !report.algorithms.empty() && report.algorithms.front().simulated;
  TableRow heading{"algorithm", "model"};
  if (is_simulated) heading.insert(heading.end(), {"simulation", "difference"});
  heading.push_back("the model is");
  std::vector<TableRow> rows{std::move(heading)};
  bool is_uncertain = false;
  for (const ModeledAlgorithm& algorithm : report.algorithms) {
    rows.push_back(row_of(algorithm, is_simulated));
    is_uncertain = is_uncertain || has_error_shown(algorithm);
  }
  std::string text = heading_of(report) + "\n\n" + aligned(rows);
  if (report.is_cut_short)
    text += "only a simulation finds how many iterations are needed for the requested standard_error\n";
  if (is_uncertain)
    text += fmt::format("±: standard error of the mean, by equal-weighted cosines{}\n",
                        is_simulated ? ", with the same random numbers in both columns" : "");
  return text + reasons_text(report);
}

Json modeled_json(const ModeledAlgorithm& algorithm) {
  Json json{{"label", algorithm.label}, {"algorithm", algorithm.algorithm}};
  json["model"] = algorithm.model ? model_json(*algorithm.model)
                                  : Json{{"validity", "none"},
                                         {"reasons", Json::array({algorithm.reason_without_model})}};
  if (algorithm.simulated) json["simulation"] = time_json(algorithm.simulated->mean_s);
  if (const auto difference = algorithm.difference()) json["relative_difference"] = *difference;
  return json;
}

std::string gains_table(const ExplainedGains& gains) {
  const auto part_text = [](double seconds, double error_s) {
    // Parts below a nanosecond are rounding of sums of thousands of moments.
    constexpr double least_shown_s = 1e-9;
    if (std::abs(seconds) < least_shown_s)
      return error_s < least_shown_s ? std::string("0") : "0 ± " + time_text(error_s);
    return (seconds < 0 ? "−" : "") + time_text(std::abs(seconds), error_s);
  };
  std::vector<TableRow> rows{{"algorithm", "iteration", "gain", "overlap", "cheaper comm.", "insensitivity"}};
  std::string reasons;
  for (const ExplainedGain& gain : gains.of_others) {
    const GainParts errors = gain.errors.value_or(GainParts{});
    TableRow& row =
        rows.emplace_back(TableRow{gain.label, time_text(gain.iteration_time_s),
                                   part_text(gains.baseline_s - gain.iteration_time_s, errors.gain_s)});
    if (const auto& parts = gain.parts)
      for (double GainParts::*const part :
           {&GainParts::overlap_s, &GainParts::cheaper_s, &GainParts::insensitivity_s})
        row.push_back(part_text(*parts.*part, errors.*part));
    else
      reasons += fmt::format("{}: {}\n", gain.label, gain.reason);
    row.resize(rows.front().size(), "–");
  }
  return fmt::format("gains over {}, {}, divided into their parts:\n\n", gains.baseline,
                     time_text(gains.baseline_s)) +
         aligned(rows) + reasons;
}

Json gain_json(const ExplainedGain& gain, const ExplainedGains& gains) {
  Json json{{"label", gain.label},
            {"over", gains.baseline},
            {"iteration_time_s", gain.iteration_time_s},
            {"gain_s", gains.baseline_s - gain.iteration_time_s}};
  if (const auto& parts = gain.parts) {
    json["parts_s"] = {{"overlap", parts->overlap_s},
                       {"cheaper_communication", parts->cheaper_s},
                       {"insensitivity", parts->insensitivity_s}};
    if (const auto& errors = gain.errors)
      json["standard_errors_s"] = {{"gain", errors->gain_s},
                                   {"overlap", errors->overlap_s},
                                   {"cheaper_communication", errors->cheaper_s},
                                   {"insensitivity", errors->insensitivity_s}};
  } else {
    json["reason"] = gain.reason;
  }
  return json;
}

Json model_document(const ModelReport& report, const ExplainedGains* gains,
                    const std::string& scenario_hash) {
  Json document{{"starling", version()},
                {"scenario", report.name},
                {"scenario_hash", scenario_hash},
                {"algorithms", Json::array()}};
  for (const ModeledAlgorithm& algorithm : report.algorithms)
    document["algorithms"].push_back(modeled_json(algorithm));
  if (gains == nullptr) return document;
  document["gains"] = Json::array();
  for (const ExplainedGain& gain : gains->of_others) document["gains"].push_back(gain_json(gain, *gains));
  return document;
}

}  // namespace starling
