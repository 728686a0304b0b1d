#include "analysis/comparison/comparison_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "analysis/statistics/interval_json.hpp"
#include "io/json/json_text.hpp"
#include "io/texts/shown_text.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

/// The name of a result in tables: A, B, …, Z, then #27 and so on.
std::string letter(std::size_t result) {
  constexpr std::size_t letters = 26;
  return result < letters ? std::string(1, static_cast<char>('A' + result)) : fmt::format("#{}", result + 1);
}

bool is_shown_as_none(double seconds) { return time_text(std::abs(seconds)) == time_text(0); }

/// A magnitude with the sign of its value; without one if it is shown as `none`, the text of zero.
std::string with_sign(double value, const std::string& magnitude, const std::string& none) {
  if (magnitude == none) return magnitude;
  return (value < 0 ? "−" : "+") + magnitude;
}

std::string signed_time(double seconds) {
  return with_sign(seconds, time_text(std::abs(seconds)), time_text(0));
}

std::string signed_percent(double percent) {
  return with_sign(percent, fmt::format("{:.1f}", std::abs(percent)), "0.0");
}

std::string input_text(const nlohmann::json& value) {
  constexpr std::size_t most = 40;
  return value.is_null() ? "–" : shortened(value_text(value), most);
}

std::string inputs_text(const Comparison& comparison) {
  if (comparison.inputs.empty()) return "The inputs are the same.\n";
  std::vector<TableRow> rows{{"input"}};
  for (std::size_t i = 0; i < comparison.names.size(); ++i) rows.front().push_back(letter(i));
  for (const InputDifference& input : comparison.inputs) {
    rows.push_back({input.pointer});
    for (const nlohmann::json& value : input.values) rows.back().push_back(input_text(value));
  }
  return aligned(rows);
}

/// The greatest parts, which come first: at most six, each of at least a tenth of the greatest.
std::string parts_text(std::span<const PartDifference> parts) {
  constexpr std::size_t most = 6;
  std::vector<std::string> texts;
  const double greatest_s = std::abs(parts.front().difference_s);
  for (const PartDifference& part : parts.first(std::min(most, parts.size())))
    if (!is_shown_as_none(part.difference_s) && std::abs(part.difference_s) >= 0.1 * greatest_s)
      texts.push_back(fmt::format("{} {}", part.name, signed_time(part.difference_s)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string interval_text(const RunDifference& difference) {
  if (!difference.interval_95_s) return "";
  if (!difference.is_significant()) return "n.s.";
  return fmt::format("{} to {}", signed_time(difference.interval_95_s->least),
                     signed_time(difference.interval_95_s->greatest));
}

/// The difference in percent of a time; "–" if that is 0.
std::string percent_text(const RunDifference& difference, double of_s) {
  return of_s > 0 ? signed_percent(100 * difference.difference_s / of_s) : "–";
}

std::string runs_text(const Comparison& comparison) {
  std::vector<TableRow> rows{
      {"algorithm", "", "iteration", "difference", "%", "95 % interval", "most of it"}};
  for (const ComparedRun& run : comparison.runs) {
    rows.push_back({run.label, letter(0), time_text(run.first_mean_s), "", "", "", ""});
    for (std::size_t i = 0; i < run.others.size(); ++i) {
      const RunDifference& other = run.others[i];
      rows.push_back({"", letter(i + 1), time_text(other.mean_s), signed_time(other.difference_s),
                      percent_text(other, run.first_mean_s), interval_text(other), parts_text(other.parts)});
    }
  }
  return aligned(rows);
}

/// " and 3 others"; empty if there are none.
std::string and_others(std::int64_t others) {
  return others == 0 ? "" : fmt::format(" and {}", counted(others, "other"));
}

std::string link_text(const std::optional<BusiestLink>& link) {
  return link ? fmt::format("{}{} ({}, at least {}, {:.0f} % busy)", link->name, and_others(link->as_busy),
                            bytes_text(link->bytes_per_iteration), time_text(link->bound_s),
                            100 * link->busy_fraction)
              : "not recorded (--links)";
}

/// The link that changed most, or why there is none.
std::string changed_link_text(const ComparedRun& run, const RunDifference& other) {
  if (!run.first_busiest || !other.busiest) return "not recorded (--links)";
  const std::optional<LinkDifference>& link = other.changed_link;
  if (!link) return "none";
  return fmt::format("{}{}: bound {}, busy {}", link->name, and_others(link->as_much),
                     signed_time(link->bound_s), signed_time(link->busy_s));
}

/// A table of changes on critical paths and links; empty if no pair of results has either.
std::string changes_text(const Comparison& comparison) {
  std::vector<TableRow> rows{{"algorithm", "", "critical path", "of its parts", "link that changed most"}};
  bool is_reported = false;
  for (const ComparedRun& run : comparison.runs)
    for (std::size_t i = 0; i < run.others.size(); ++i) {
      const RunDifference& other = run.others[i];
      const bool has_path = !other.path.empty();
      is_reported = is_reported || has_path || (run.first_busiest && other.busiest);
      rows.push_back({run.label, letter(i + 1),
                      has_path ? parts_text(other.path) : "not recorded (--critical-path)",
                      has_path ? parts_text(other.path_parts) : "", changed_link_text(run, other)});
    }
  return is_reported ? fmt::format("\n{}", aligned(rows)) : "";
}

/// A table of the busiest links; empty if no result has links.
std::string links_text(const Comparison& comparison) {
  std::vector<TableRow> rows{{"algorithm", "", "busiest link, and what it takes an iteration for"}};
  bool is_reported = false;
  for (const ComparedRun& run : comparison.runs) {
    rows.push_back({run.label, letter(0), link_text(run.first_busiest)});
    is_reported = is_reported || run.first_busiest;
    for (std::size_t i = 0; i < run.others.size(); ++i) {
      rows.push_back({"", letter(i + 1), link_text(run.others[i].busiest)});
      is_reported = is_reported || run.others[i].busiest;
    }
  }
  return is_reported ? fmt::format("\n{}", aligned(rows)) : "";
}

/// How many iterations both results count, and which ones each counts if these differ.
std::string common_text(const IterationNumbers& first, const RunDifference& other,
                        const std::string& name_of_other) {
  const std::int64_t common = other.aligned ? other.aligned->count : 0;
  if (first == *other.counted && common > 0) return fmt::format("{}", common);
  return fmt::format("{}: A counts {}–{}, {} {}–{}", common == 0 ? "none" : fmt::format("{}", common),
                     first.first, first.last, name_of_other, other.counted->first, other.counted->last);
}

std::string aligned_text(const Comparison& comparison) {
  std::vector<TableRow> rows{{"iterations side by side", "", "number", "correlation", "std of differences"}};
  for (const ComparedRun& run : comparison.runs)
    for (std::size_t i = 0; i < run.others.size(); ++i) {
      const RunDifference& other = run.others[i];
      if (!run.first_counted || !other.counted) continue;
      const bool has_correlation = other.aligned && other.aligned->correlation;
      rows.push_back({run.label, letter(i + 1), common_text(*run.first_counted, other, letter(i + 1)),
                      has_correlation ? fmt::format("{:.3f}", *other.aligned->correlation) : "–",
                      other.aligned ? time_text(other.aligned->difference_std_s) : "–"});
    }
  return rows.size() > 1 ? fmt::format("\n{}", aligned(rows)) : "";
}

Json counted_json(const std::optional<IterationNumbers>& iterations) {
  return iterations ? Json{iterations->first, iterations->last} : Json(nullptr);
}

Json link_json(const std::optional<BusiestLink>& link) {
  if (!link) return nullptr;
  return {{"name", link->name},
          {"bytes_per_iteration", link->bytes_per_iteration},
          {"bound_s", link->bound_s},
          {"busy_fraction", link->busy_fraction}};
}

Json changed_link_json(const std::optional<LinkDifference>& link) {
  if (!link) return nullptr;
  return {{"name", link->name}, {"bound_difference_s", link->bound_s}, {"busy_difference_s", link->busy_s}};
}

/// The difference of each part by its key; null if there are no parts.
Json parts_json(const std::vector<PartDifference>& parts) {
  Json json;
  for (const PartDifference& part : parts) json[part.key] = part.difference_s;
  return json;
}

Json difference_json(const RunDifference& difference) {
  Json both = nullptr;
  if (difference.aligned)
    both = {{"iterations", difference.aligned->count},
            {"correlation", or_null(difference.aligned->correlation)},
            {"difference_std_s", difference.aligned->difference_std_s}};
  return {{"mean_s", difference.mean_s},
          {"difference_s", difference.difference_s},
          {"difference_interval_95_s", or_null(difference.interval_95_s)},
          {"parts_s", parts_json(difference.parts)},
          {"critical_path_s", parts_json(difference.path)},
          {"critical_path_parts_s", parts_json(difference.path_parts)},
          {"busiest_link", link_json(difference.busiest)},
          {"changed_link", changed_link_json(difference.changed_link)},
          {"counted_iterations", counted_json(difference.counted)},
          {"aligned", both}};
}

}  // namespace

std::string comparison_table(const Comparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < comparison.names.size(); ++i)
    text += fmt::format("{}: {}\n", letter(i), comparison.names[i]);
  text += fmt::format("\n{}\n{}{}{}{}", inputs_text(comparison), runs_text(comparison),
                      changes_text(comparison), links_text(comparison), aligned_text(comparison));
  if (!comparison.not_in_all.empty())
    text += fmt::format("\nNot in all results: {}\n", fmt::join(comparison.not_in_all, ", "));
  return text;
}

Json comparison_json(const Comparison& comparison) {
  Json document{{"starling", version()}, {"results", comparison.names}};
  document["inputs"] = Json::array();
  for (const InputDifference& input : comparison.inputs)
    document["inputs"].push_back({{"pointer", input.pointer}, {"values", input.values}});
  document["runs"] = Json::array();
  for (const ComparedRun& run : comparison.runs) {
    Json others = Json::array();
    for (const RunDifference& other : run.others) others.push_back(difference_json(other));
    document["runs"].push_back({{"label", run.label},
                                {"mean_s", run.first_mean_s},
                                {"busiest_link", link_json(run.first_busiest)},
                                {"counted_iterations", counted_json(run.first_counted)},
                                {"others", others}});
  }
  document["not_in_all"] = comparison.not_in_all;
  return document;
}

}  // namespace starling
