#include "analysis/charts/result_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/charts/critical_path_charts.hpp"
#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// The number of seeds that were run.
std::size_t seeds_of(const SavedResult& result) {
  const json& blocks = blocks_of(result.document);
  const bool has_several = !blocks.empty() && blocks.front().contains("replications");
  return has_several ? blocks.front().at("replications").size() : 1;
}

double mean_s(const json& block) { return block.at("iteration_time_s").at("mean").get<double>(); }

/// The 90 % interval of the prediction (--uncertainty), or, without one, the 95 % interval of sampling.
std::optional<Interval> interval_of(const json& block) {
  const std::optional<Interval> prediction = saved_interval(block, "interval_90_s");
  return prediction ? prediction : saved_interval(block, "interval_95_s");
}

/// A value of the scenario as text; empty if it has none.
std::string text_at(const json& scenario, const char* pointer) {
  return value_text(value_at(scenario, pointer));
}

std::vector<const json*> sorted_by_time(const SavedResult& result) {
  std::vector<const json*> blocks;
  for (const json& block : blocks_of(result.document)) blocks.push_back(&block);
  std::ranges::stable_sort(blocks, {}, [](const json* block) { return mean_s(*block); });
  // Of those that are equally fast within rounding errors, the scenario's first one comes first.
  const auto is_as_fast = [&](const json& block) {
    return take_as_long(mean_s(block), mean_s(*blocks.front()));
  };
  const json& all = blocks_of(result.document);
  if (const auto first = std::ranges::find_if(all, is_as_fast); first != all.end()) {
    const auto found = std::ranges::find(blocks, &*first);
    std::rotate(blocks.begin(), found, found + 1);
  }
  return blocks;
}

/// A remark on which errors the interval does not include; empty if it includes all that are known.
std::string beyond_interval(const SavedResult& result, const json& block) {
  if (result.is_measured()) return "";
  if (!saved_interval(block, "interval_90_s")) return "; sampling error only, without the model's error";
  return text_at(result.scenario, "/cluster/model_error").empty() ? "; without the model's error" : "";
}

/// The mean iteration time with its interval, and the remark `beyond` on that.
std::string with_interval(const json& block, const std::string& beyond = "") {
  const std::optional<Interval> interval = interval_of(block);
  const std::string mean = time_text(mean_s(block));
  if (!interval) return mean;
  const std::string least = time_text(interval->least);
  const std::string greatest = time_text(interval->greatest);
  if (least == greatest) return mean;
  return fmt::format("{} ({} %: {} to {}{})", mean, saved_interval(block, "interval_90_s") ? 90 : 95, least,
                     greatest, beyond);
}

/// The labels of the blocks for which `of_block` returns a text, each with that text; empty if there are
/// none.
std::string labels_text(const SavedResult& result, const auto& of_block) {
  std::vector<std::string> parts;
  for (const json& block : blocks_of(result.document))
    if (const std::optional<std::string> text = of_block(block))
      parts.push_back(fmt::format("{} ({})", label_of(block), *text));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// A sentence on the algorithms whose times are decided by ties, the order of events at the same time.
std::string ties_text(const SavedResult& result) {
  const std::string decided = labels_text(result, [](const json& block) -> std::optional<std::string> {
    const std::optional<Interval> times = saved_interval(block, "decided_by_ties");
    if (!times) return std::nullopt;
    return fmt::format("{} to {}", time_text(times->least), time_text(times->greatest));
  });
  if (decided.empty()) return "";
  return fmt::format(
      "Dependent on the order of simultaneous events, as changes of latencies and computing times by 0.1 % "
      "change the mean by more than 1 %: {}.",
      decided);
}

/// A sentence on the algorithms of which parts of a period are counted.
std::string periods_text(const SavedResult& result) {
  const std::string partial = labels_text(result, [](const json& block) -> std::optional<std::string> {
    const auto counted = counted_partially(block);
    if (!counted) return std::nullopt;
    return fmt::format("{}, its pattern repeats after {}", *counted,
                       block.at("pattern_period").get<std::int64_t>());
  });
  return partial.empty()
             ? ""
             : fmt::format(
                   "Too high or too low, as the counted iterations are not whole periods of the pattern: {}.",
                   partial);
}

/// A sentence on the algorithms whose iteration times drift.
std::string drift_text(const SavedResult& result) {
  const std::string drifting = labels_text(result, [](const json& block) -> std::optional<std::string> {
    const std::optional<Interval> times = saved_interval(block, "drift_s");
    if (!times) return std::nullopt;
    return fmt::format("from {} to {}", time_text(times->least), time_text(times->greatest));
  });
  return drifting.empty()
             ? ""
             : fmt::format("Not in a steady state, as iteration times still drift while counted: {}.",
                           drifting);
}

std::string times_text(double ratio) { return fmt::format("{:.3g}", ratio); }

/// A ratio as text: "1.31 times as long".
std::string as_long_text(double ratio) {
  if (take_as_long(ratio, 1)) return "as long";
  const std::string times = times_text(ratio);
  return fmt::format("{} times as long", times == "1" ? fmt::format("{:.8g}", ratio) : times);
}

/// The labels of the others that are as fast as the fastest within rounding errors.
std::vector<std::string> as_fast_as_fastest(const std::vector<const json*>& blocks) {
  std::vector<std::string> labels;
  for (const json* block : std::span(blocks).subspan(1))
    if (take_as_long(mean_s(*block), mean_s(*blocks.front()))) labels.push_back(label_of(*block));
  return labels;
}

std::string equals_text(const std::vector<const json*>& blocks) {
  const std::vector<std::string> equals = as_fast_as_fastest(blocks);
  if (equals.empty() || mean_s(*blocks.front()) == 0) return "";
  return fmt::format("{} {} as long.", fmt::join(equals, ", "), equals.size() == 1 ? "takes" : "take");
}

/// Compares the first algorithm, or, if that is the fastest, the second fastest, with the fastest one; empty
/// if they are equal.
std::string comparison_text(const SavedResult& result, const std::vector<const json*>& blocks) {
  const json& first = blocks_of(result.document).front();
  const bool is_first = blocks.front() == &first;
  const json& other = is_first ? *blocks[1] : first;
  const double fastest_s = mean_s(*blocks.front());
  if (fastest_s == 0 || take_as_long(mean_s(other), fastest_s)) return "";
  return fmt::format("{} takes {}.", label_of(other), as_long_text(mean_s(other) / fastest_s));
}

/// A caution if the fastest algorithm is not synchronous, but others are: an iteration may then be worth
/// less.
std::string unlike_text(const std::vector<const json*>& blocks) {
  const auto waits_for_all = [](const json* block) {
    return value_at(*block, "/participation/operations").is_null();
  };
  const auto synchronous = std::ranges::find_if(blocks, waits_for_all);
  if (waits_for_all(blocks.front()) || synchronous == blocks.end()) return "";
  return fmt::format(
      "Its workers do not wait for all others in every iteration, so that one of its iterations may advance "
      "training less than one of {}: \"learning\" shows by how much.",
      label_of(**synchronous));
}

/// The interval of the speed-up over the first algorithm, from the random draws that both had.
std::optional<Interval> speedup_of(const json& block, const json& first) {
  if (&block == &first) return Interval{.least = 1, .greatest = 1};
  return saved_interval(block, "speedup_interval_95");
}

/// Whether the intervals of speed-ups show that `fastest` is faster. Not with intervals of predictions: those
/// of speed-ups do not include the error of the model.
bool are_told_apart_by_speedups(const json& block, const json& fastest, const json& first) {
  if (saved_interval(block, "interval_90_s") || saved_interval(fastest, "interval_90_s")) return false;
  const std::optional<Interval> own = speedup_of(block, first);
  const std::optional<Interval> best = speedup_of(fastest, first);
  return own && best && own->greatest < best->least && !take_as_long(own->greatest, best->least);
}

/// A sentence on the algorithms whose means have no interval.
std::string without_interval_text(const std::vector<const json*>& blocks) {
  std::vector<std::string> unsure;
  for (const json* block : blocks)
    if (!interval_of(*block)) unsure.push_back(label_of(*block));
  if (unsure.empty()) return "";
  if (unsure.size() == blocks.size()) return "The uncertainty of these means is unknown.";
  return fmt::format("The uncertainty of the mean is unknown for {}.", fmt::join(unsure, ", "));
}

/// A sentence on the algorithms whose intervals overlap that of the fastest.
std::string overlap_text(const SavedResult& result, const std::vector<const json*>& blocks) {
  const json& first = blocks_of(result.document).front();
  const json& fastest = *blocks.front();
  const std::optional<Interval> best = interval_of(fastest);
  if (!best) return "";
  std::vector<std::string> as_fast;
  for (const json* block : std::span(blocks).subspan(1)) {
    if (take_as_long(mean_s(*block), mean_s(fastest))) continue;
    const std::optional<Interval> interval = interval_of(*block);
    if (interval && interval->least <= best->greatest && !are_told_apart_by_speedups(*block, fastest, first))
      as_fast.push_back(label_of(*block));
  }
  if (as_fast.empty()) return "";
  return fmt::format("Not certainly slower, as intervals overlap: {}.", fmt::join(as_fast, ", "));
}

std::string where_time_goes(const json& block) {
  const double mean = mean_s(block);
  if (mean == 0) return "";
  const json& breakdown = block.at("breakdown_s");
  std::vector<std::string> parts;
  const auto add_part = [&](const char* part, std::string_view what) {
    constexpr double least_percent = 0.05;
    const double percent = 100 * breakdown.at(part).get<double>() / mean;
    if (percent >= least_percent) parts.push_back(fmt::format("{:.1f} % is {}", percent, what));
  };
  add_part("exposed_communication", "communication that computing does not hide");
  add_part("imbalance_wait", "waiting for slower workers");
  if (parts.empty())
    return "Almost none of its iteration is exposed communication or waiting for slower workers.";
  return fmt::format("Of its iteration, {}.", fmt::join(parts, ", "));
}

/// A sentence on the lowest loss at the end, if no algorithm reached the target.
std::string missed_target_text(const SavedResult& result) {
  const json* lowest = nullptr;
  const auto loss_of = [](const json& block) { return block.at("learning").at("final_loss"); };
  for (const json& block : blocks_of(result.document)) {
    if (!value_at(block, "/learning/target_loss").is_number() || !loss_of(block).is_number()) continue;
    if (lowest == nullptr || loss_of(block) < loss_of(*lowest)) lowest = &block;
  }
  if (lowest == nullptr) return "";
  return fmt::format("None reaches the target loss of {:.4g}{}; the lowest at the end is {:.4g}, of {}.",
                     lowest->at("learning").at("target_loss").get<double>(), of_first_seed(result),
                     loss_of(*lowest).get<double>(), label_of(*lowest));
}

std::string learning_text(const SavedResult& result) {
  const json* soonest = nullptr;
  const auto time_of = [](const json& block) { return block.at("learning").at("time_to_target_s"); };
  for (const json& block : blocks_of(result.document)) {
    if (!block.contains("learning") || block.at("learning").is_null() || !time_of(block).is_number())
      continue;
    if (soonest == nullptr || time_of(block) < time_of(*soonest)) soonest = &block;
  }
  if (soonest == nullptr) return missed_target_text(result);
  const json& learning = soonest->at("learning");
  const json known = value_at(learning, "/caution");  // earlier versions have none
  const std::string caution = known.is_null() ? "" : ": " + known.get<std::string>();
  return fmt::format("{} reaches the target loss of {:.4g} first, after {} of simulated time{}{}.",
                     label_of(*soonest), learning.at("target_loss").get<double>(),
                     time_text(time_of(*soonest).get<double>()), of_first_seed(result), caution);
}

/// A sentence on the algorithms whose loss became infinite or not a number.
std::string divergence_text(const SavedResult& result) {
  std::vector<std::string> diverged;
  for (const json& block : blocks_of(result.document)) {
    if (!block.contains("learning") || block.at("learning").is_null()) continue;
    const auto is_lost = [](const json& row) { return row.at(2).is_null(); };
    if (std::ranges::any_of(block.at("learning").at("loss"), is_lost)) diverged.push_back(label_of(block));
  }
  return diverged.empty()
             ? ""
             : fmt::format("Training diverged{}: {}.", of_first_seed(result), fmt::join(diverged, ", "));
}

/// The number of counted iterations, per seed; a range if they differ.
std::string counted_iterations(const json& blocks) {
  std::vector<std::int64_t> counts;
  for (const json& block : blocks) {
    const auto of_block = block.at("iterations").get<std::int64_t>();
    if (!block.contains("replications")) counts.push_back(of_block);
    for (const json& each : value_at(block, "/replications"))
      counts.push_back(each.value("iterations", of_block));
  }
  const auto [least, most] = std::ranges::minmax(counts);
  return least_to_greatest(std::to_string(least), std::to_string(most));
}

/// The answer for several jobs, the one that is slowed down the most first.
std::vector<std::string> answer_of_jobs(const SavedResult& result) {
  const auto slowdown_of = [](const json* block) { return block->at("slowdown").get<double>(); };
  std::vector<const json*> blocks;
  for (const json& block : blocks_of(result.document))
    if (block.at("slowdown").is_number()) blocks.push_back(&block);
  if (blocks.empty()) return {};
  std::ranges::stable_sort(blocks, std::ranges::greater(), slowdown_of);
  std::vector<std::string> sentences;
  const std::string most = as_long_text(slowdown_of(blocks.front()));
  const std::string least = as_long_text(slowdown_of(blocks.back()));
  if (blocks.size() > 1 && most == least)
    sentences.push_back(fmt::format("Each job takes {} as alone.", most));
  else if (blocks.size() > 1)
    sentences.push_back(fmt::format("{} is slowed down the most: it takes {} as alone; {} the least, {}.",
                                    label_of(*blocks.front()), most, label_of(*blocks.back()), least));
  for (const json* block : blocks)
    sentences.push_back(fmt::format("{}: {} an iteration, {} as alone.", label_of(*block),
                                    with_interval(*block), as_long_text(slowdown_of(block))));
  return sentences;
}

std::pair<std::string, std::string> seed_fact(const SavedResult& result) {
  const std::string first = text_at(result.scenario, "/seed");
  const std::size_t seeds = seeds_of(result);
  if (seeds == 1) return {"seed", first};
  return {"seeds", fmt::format("{}, the first is {}", seeds, first)};
}

std::string network_of(const json& scenario) {
  const std::string kind = text_at(scenario, "/cluster/network/kind");
  return kind.empty() ? text_at(scenario, "/cluster/network/file") : kind;
}

}  // namespace

bool take_as_long(double one_s, double other_s) {
  constexpr double rounding = 1e-9;
  return std::abs(one_s - other_s) <= rounding * std::max(one_s, other_s);
}

std::string of_first_seed(const SavedResult& result) {
  return seeds_of(result) == 1 ? "" : ", of the first seed";
}

std::string name_of(const SavedResult& result) {
  const std::string name = text_at(result.scenario, "/name");
  return name.empty() ? std::filesystem::absolute(result.file).parent_path().filename().string() : name;
}

std::string question_of(const SavedResult& result) {
  const json& blocks = blocks_of(result.document);
  if (result.has_jobs())
    return fmt::format("How much do {} jobs on one network slow each other down?", blocks.size());
  const std::string model = text_at(result.scenario, "/workload/model");
  const std::string of = model.empty() || model.size() > 60 ? "" : fmt::format(" of {}", model);
  const int workers = blocks.empty() ? 0 : blocks.front().at("workers").get<int>();
  const std::string which =
      blocks.size() < 2 ? "" : fmt::format(", and which of {} algorithms is fastest", blocks.size());
  return fmt::format("How long {} an iteration{} take on {}{}?", result.is_measured() ? "did" : "does", of,
                     counted(workers, "worker"), which);
}

std::vector<std::string> answer_of(const SavedResult& result) {
  if (result.has_jobs()) return answer_of_jobs(result);
  const std::vector<const json*> blocks = sorted_by_time(result);
  if (blocks.empty()) return {"No algorithm was run."};
  std::vector<std::string> sentences;
  const bool is_fastest = blocks.size() > 1 && as_fast_as_fastest(blocks).empty();
  sentences.push_back(fmt::format("{}{}: {} an iteration.", label_of(*blocks.front()),
                                  is_fastest ? " is the fastest" : "",
                                  with_interval(*blocks.front(), beyond_interval(result, *blocks.front()))));
  sentences.push_back(where_time_goes(*blocks.front()));
  sentences.push_back(critical_path_sentence(*blocks.front()));
  if (blocks.size() > 1) {
    sentences.push_back(unlike_text(blocks));
    sentences.push_back(equals_text(blocks));
    sentences.push_back(comparison_text(result, blocks));
    sentences.push_back(overlap_text(result, blocks));
    sentences.push_back(without_interval_text(blocks));
  }
  sentences.push_back(ties_text(result));
  sentences.push_back(periods_text(result));
  sentences.push_back(drift_text(result));
  sentences.push_back(learning_text(result));
  sentences.push_back(divergence_text(result));
  std::erase(sentences, "");
  return sentences;
}

std::vector<std::pair<std::string, std::string>> facts_of(const SavedResult& result) {
  const json& scenario = result.scenario;
  const json& blocks = blocks_of(result.document);
  const std::string steps = text_at(scenario, "/workload/gradient_accumulation_steps");
  std::vector<std::pair<std::string, std::string>> facts{
      {"scenario", name_of(result)},
      {result.is_measured() ? "measured by" : "network model", result.engine},
      {"workers", text_at(scenario, "/cluster/workers")},
      {"network", network_of(scenario)},
      {"model", text_at(scenario, "/workload/model")},
      {"batch size", text_at(scenario, "/workload/batch_size")},
      {"passes per iteration", steps == "1" ? "" : steps},
      {"counted iterations", blocks.empty() ? "" : counted_iterations(blocks)},
      seed_fact(result),
      {"written by", fmt::format("starling {}", text_at(result.document, "/starling"))}};
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty() || fact.second.size() > 80; });
  return facts;
}

}  // namespace starling
