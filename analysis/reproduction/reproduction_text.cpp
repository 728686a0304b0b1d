#include "analysis/reproduction/reproduction_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "analysis/reproduction/prediction_intervals.hpp"
#include "analysis/statistics/interval_json.hpp"
#include "base/texts/words.hpp"
#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t columns = 100;

Json entry_json(const EntryOutcome& outcome) {
  return {{"id", outcome.entry->id},
          {"paper", outcome.entry->paper},
          {"metric", outcome.entry->metric},
          {"published", or_null(outcome.entry->value)},
          {"predicted", or_null(outcome.predicted)},
          {"relative_error", or_null(outcome.relative_error)},
          {"sampling_error", outcome.predicted ? Json(outcome.sampling_error) : Json(nullptr)},
          {"drifting", outcome.is_drifting},
          {"interval_90", or_null(outcome.interval_90)},
          {"calibration", outcome.is_calibration},
          {"status", name_of(outcome.status)},
          {"reason", text_or_null(outcome.reason)}};
}

Json paper_json(const PaperSummary& summary) {
  return {{"paper", summary.paper},
          {"compared", summary.compared},
          {"calibration", summary.calibration},
          {"median_abs_error", or_null(summary.median_abs_error)},
          {"median_abs_error_of_predictions", or_null(summary.median_abs_error_of_predictions)},
          {"worst_abs_error", or_null(summary.worst_abs_error)},
          {"worst_entry", text_or_null(summary.worst_entry)},
          {"within_5_percent", or_null(summary.within_5_percent)},
          {"within_10_percent", or_null(summary.within_10_percent)}};
}

/// A value of a metric with its unit.
std::string value_text(const std::string& metric, double value) {
  if (metric.ends_with("_s") && !metric.starts_with("throughput_")) return time_text(value);
  if (metric.starts_with("throughput_")) return throughput_text(value) + " /s";
  if (metric.starts_with("speedup_over:")) return fmt::format("{:.3f} x", value);
  return fmt::format("{:.4g}", value);
}

/// The words, joined and broken into indented lines of at most `columns` characters.
std::string wrapped(const std::vector<std::string>& words) {
  constexpr std::string_view indent = "    ";
  std::string text(indent);
  std::size_t used = indent.size();
  for (const std::string& word : words) {
    if (used > indent.size() && used + 1 + word.size() > columns) {
      text += fmt::format("\n{}", indent);
      used = indent.size();
    }
    if (used > indent.size()) text += ' ';
    text += word;
    used += word.size() + 1;
  }
  return text + '\n';
}

std::string inside_text(const EntryOutcome& outcome) {
  if (!outcome.interval_90 || !outcome.entry->value) return "–";
  return outcome.is_inside() ? "yes" : "no";
}

std::string predicted_entries(const std::vector<EntryOutcome>& outcomes, const std::string& paper) {
  std::vector<TableRow> rows{{"entry", "published", "predicted", "error", "calibration", "inside"}};
  for (const EntryOutcome& outcome : outcomes) {
    if (outcome.entry->paper != paper || !outcome.predicted) continue;
    const std::string& metric = outcome.entry->metric;
    const auto& published = outcome.entry->value;
    rows.push_back({outcome.entry->id, published ? value_text(metric, *published) : "–",
                    value_text(metric, *outcome.predicted),
                    published ? fmt::format("{:+.1f} %", 100 * *outcome.relative_error) : "–",
                    outcome.is_calibration ? "yes" : "no", inside_text(outcome)});
  }
  return rows.size() == 1 ? "" : aligned(rows);
}

/// The intervals of values that are not published.
std::string intervals_of_unknown(const std::vector<EntryOutcome>& outcomes, const std::string& paper) {
  std::string text;
  for (const EntryOutcome& outcome : outcomes)
    if (outcome.entry->paper == paper && outcome.status == EntryStatus::predicted && outcome.interval_90)
      text += fmt::format("{}, 90 % interval: {} to {}\n", outcome.entry->id,
                          value_text(outcome.entry->metric, outcome.interval_90->least),
                          value_text(outcome.entry->metric, outcome.interval_90->greatest));
  return text;
}

/// The entries whose iterations still drift, so that their predictions are less sure than they look.
std::string drifting_entries(const std::vector<EntryOutcome>& outcomes, const std::string& paper) {
  std::vector<std::string> words;
  for (const EntryOutcome& outcome : outcomes)
    if (outcome.entry->paper == paper && outcome.predicted && outcome.is_drifting)
      words.push_back(fmt::format("{} by {}", outcome.entry->id, percent_text(outcome.sampling_error)));
  if (words.empty()) return "";
  return fmt::format("iteration times still drift while counted:\n{}",
                     wrapped(words_of(fmt::format("{}", fmt::join(words, ", ")))));
}

std::string failed_entries(const std::vector<EntryOutcome>& outcomes, const std::string& paper) {
  std::string text;
  for (const EntryOutcome& outcome : outcomes)
    if (outcome.entry->paper == paper && outcome.status == EntryStatus::failed)
      text += fmt::format("failed: {}\n{}", outcome.entry->id, wrapped(words_of(outcome.reason)));
  return text;
}

std::string not_comparable_entries(const std::vector<EntryOutcome>& outcomes, const std::string& paper) {
  std::map<std::string, std::vector<std::string>> ids;  // by reason
  for (const EntryOutcome& outcome : outcomes)
    if (outcome.entry->paper == paper && outcome.status == EntryStatus::not_comparable)
      ids[outcome.reason].push_back(outcome.entry->id);
  std::string text;
  for (const auto& [reason, entries] : ids)
    text += fmt::format("not comparable, {}:\n{}", reason, wrapped(entries));
  return text;
}

std::string summary_lines(const PaperSummary& summary) {
  if (summary.compared == 0) return "nothing to compare\n";
  std::string text = fmt::format(
      "{} compared, |error|: median {}, worst {}; {} within 5 %, {} within 10 %\n", summary.compared,
      percent_text(summary.median_abs_error), percent_text(summary.worst_abs_error),
      percent_text(summary.within_5_percent), percent_text(summary.within_10_percent));
  if (summary.calibration > 0)
    text += fmt::format("without the {} that profiles were fitted to: median {}\n", summary.calibration,
                        percent_text(summary.median_abs_error_of_predictions));
  return text;
}

std::string coverage_line(const Coverage& coverage) {
  if (coverage.with_interval == 0) return "";
  return fmt::format(
      "{} of {} published values that no profile was fitted to ({:.0f} %) are inside their 90 % intervals, "
      "which follow from the errors of other tasks.\n",
      coverage.inside, coverage.with_interval, 100.0 * coverage.inside / coverage.with_interval);
}

std::string summary_table(const std::vector<PaperSummary>& summaries) {
  std::vector<TableRow> rows{{"paper", "compared", "median |error|", "worst", "within 5 %", "within 10 %"}};
  for (const PaperSummary& summary : summaries)
    rows.push_back({summary.paper.substr(0, summary.paper.find(" (")), fmt::format("{}", summary.compared),
                    percent_text(summary.median_abs_error), percent_text(summary.worst_abs_error),
                    percent_text(summary.within_5_percent), percent_text(summary.within_10_percent)});
  return aligned(rows);
}

}  // namespace

Json reproduction_json(const std::vector<EntryOutcome>& outcomes, bool is_finished) {
  Json entries = Json::array();
  for (const EntryOutcome& outcome : outcomes) entries.push_back(entry_json(outcome));
  Json papers = Json::array();
  for (const PaperSummary& summary : paper_summaries(outcomes)) papers.push_back(paper_json(summary));
  const Coverage coverage = coverage_of_predictions(outcomes);
  return {{"starling", version()},
          {"finished", is_finished},
          {"entries", std::move(entries)},
          {"papers", std::move(papers)},
          {"predictions_with_interval", coverage.with_interval},
          {"predictions_inside", coverage.inside}};
}

std::string reproduction_table(const std::vector<EntryOutcome>& outcomes) {
  const auto summaries = paper_summaries(outcomes);
  std::string text;
  for (const PaperSummary& summary : summaries)
    text += fmt::format("{}\n{}{}{}{}{}{}\n", summary.paper, predicted_entries(outcomes, summary.paper),
                        intervals_of_unknown(outcomes, summary.paper),
                        drifting_entries(outcomes, summary.paper), failed_entries(outcomes, summary.paper),
                        not_comparable_entries(outcomes, summary.paper), summary_lines(summary));
  return text + summary_table(summaries) + coverage_line(coverage_of_predictions(outcomes));
}

}  // namespace starling
