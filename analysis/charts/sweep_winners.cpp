#include "analysis/charts/sweep_winners.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "analysis/charts/result_facts.hpp"
#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using nlohmann::json;
using Sureness = SweepWinner::Sureness;

bool is_of_algorithms(const std::string& pointer) { return is_at_or_below(pointer, "/algorithms"); }

/// "4", "4 and 8", "2, 4 and 8".
std::string listed(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return texts.front();
  return fmt::format("{} and {}", fmt::join(std::span(texts).first(texts.size() - 1), ", "), texts.back());
}

/// What varies: its name, its values in order, and which of them each winner has.
struct VariedDimension {
  std::string name;
  std::vector<std::string> values = {};
  bool are_numbers = false;
  std::vector<std::size_t> places = {};

  std::string text_of(std::size_t place) const {
    return values[place].empty() ? "what the base has" : values[place];
  }
  /// "2 to 16 and 64": numbers without a gap between them by the first and the last.
  std::string texts_of(const std::set<std::size_t>& some) const {
    std::vector<std::string> texts;
    for (auto first = some.begin(); first != some.end();) {
      auto end = std::next(first);
      while (end != some.end() && *end == *std::prev(end) + 1) ++end;
      const std::size_t last = *std::prev(end);
      if (are_numbers && last > *first + 1)
        texts.push_back(fmt::format("{} to {}", text_of(*first), text_of(last)));
      else
        for (std::size_t place = *first; place <= last; ++place) texts.push_back(text_of(place));
      first = end;
    }
    return listed(texts);
  }
};

/// Of values that combinations with a winner have, without those of algorithms, which compete.
std::vector<VariedDimension> varied_dimensions(const SweepPlan& plan, const json& dimensions,
                                               const std::vector<SweepWinner>& winners) {
  const std::vector<std::string> names = short_names(plan.pointers());
  std::vector<VariedDimension> varied;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_of_algorithms(plan.pointers()[i])) continue;
    VariedDimension dimension{.name = names[i]};
    std::vector<std::string> met;
    for (const SweepWinner& winner : winners) met.push_back(value_text(plan.values(winner.combination)[i]));
    for (const json& value : dimensions.at(i).at("values"))
      if (std::ranges::find(met, value.get<std::string>()) != met.end()) dimension.values.push_back(value);
    dimension.are_numbers = dimensions.at(i).contains("numbers");
    for (const std::string& value : met)
      dimension.places.push_back(
          static_cast<std::size_t>(std::ranges::find(dimension.values, value) - dimension.values.begin()));
    if (dimension.values.size() > 1) varied.push_back(std::move(dimension));
  }
  // On workers it depends rather than on what goes together with them.
  std::ranges::stable_partition(varied, [](const VariedDimension& each) { return each.name == "workers"; });
  return varied;
}

/// Where one wins: at which values of a dimension, and how sure that is of these.
struct WonValues {
  std::vector<std::string> algorithms;
  std::set<std::size_t> places = {};
  std::set<Sureness> sureness = {};

  std::string name() const {
    return algorithms.size() == 1 ? algorithms.front() : fmt::format("{} alike", listed(algorithms));
  }
  std::string_view caution() const {
    if (!sureness.contains(Sureness::not_for_sure)) return "";
    return sureness.size() == 1 ? " (not for sure)" : " (not always for sure)";
  }
  /// Nothing of how sure it is, which is told of each.
  bool wins_at_the_same(const WonValues& other) const {
    return algorithms == other.algorithms && places == other.places && caution() == other.caution();
  }
};

/// By the first value at which each wins; empty unless each value has one winner. Only of winners that
/// `counts` picks, by their numbers.
std::vector<WonValues> won_along(const VariedDimension& dimension, const std::vector<SweepWinner>& winners,
                                 const auto& counts) {
  std::map<std::size_t, std::vector<std::string>> winner_at;
  std::vector<WonValues> won;
  for (std::size_t place = 0; place < dimension.values.size(); ++place)
    for (std::size_t i = 0; i < winners.size(); ++i) {
      if (dimension.places[i] != place || !counts(i)) continue;
      const std::vector<std::string>& algorithms = winners[i].algorithms;
      if (winner_at.emplace(place, algorithms).first->second != algorithms) return {};
      auto found = std::ranges::find(won, algorithms, &WonValues::algorithms);
      if (found == won.end()) found = won.insert(won.end(), {.algorithms = algorithms});
      found->places.insert(place);
      found->sureness.insert(winners[i].sureness);
    }
  return won;
}

/// What a sentence takes no more of.
constexpr std::size_t most_clauses = 6;

/// How many runs of neighboring values have a winner of their own.
std::size_t changes_along(const std::vector<WonValues>& won) {
  std::size_t runs = 0;
  for (const WonValues& each : won)
    for (const std::size_t place : each.places)
      if (place == 0 || !each.places.contains(place - 1)) ++runs;
  return runs;
}

/// "By the mean, ring is the fastest at workers 4 and 8, dpsgd at 64."; empty if no single dimension decides.
std::string by_one_dimension(const std::vector<VariedDimension>& varied,
                             const std::vector<SweepWinner>& winners) {
  const VariedDimension* best = nullptr;
  std::vector<WonValues> best_won;
  for (const VariedDimension& dimension : varied) {
    std::vector<WonValues> won = won_along(dimension, winners, [](std::size_t) { return true; });
    if (won.empty() || changes_along(won) > 2 * most_clauses) continue;
    if (best != nullptr && changes_along(won) >= changes_along(best_won)) continue;
    best = &dimension;
    best_won = std::move(won);
  }
  if (best == nullptr) return "";
  std::vector<std::string> clauses;
  for (const WonValues& won : best_won)
    clauses.push_back(clauses.empty()
                          ? fmt::format("{} {} the fastest at {} {}{}", listed(won.algorithms),
                                        won.algorithms.size() == 1 ? "is" : "tie as", best->name,
                                        best->texts_of(won.places), won.caution())
                          : fmt::format("{} at {}{}", won.name(), best->texts_of(won.places), won.caution()));
  return fmt::format("By the mean, {}.", fmt::join(clauses, ", "));
}

/// The winners along one dimension, for values of another one.
struct Part {
  std::set<std::size_t> places;
  std::vector<WonValues> won;
};

/// One for neighboring values that have the same; empty if both dimensions do not decide.
std::vector<Part> parts_of(const VariedDimension& outer, const VariedDimension& inner,
                           const std::vector<SweepWinner>& winners) {
  std::vector<Part> parts;
  for (std::size_t place = 0; place < outer.values.size(); ++place) {
    std::vector<WonValues> won =
        won_along(inner, winners, [&](std::size_t i) { return outer.places[i] == place; });
    if (won.empty()) return {};
    const auto is_same = [](const WonValues& one, const WonValues& other) {
      return one.wins_at_the_same(other);
    };
    if (!parts.empty() && std::ranges::equal(parts.back().won, won, is_same))
      parts.back().places.insert(place);
    else
      parts.push_back({{place}, std::move(won)});
  }
  return parts;
}

/// Also one for each of which is not told where it is not for sure.
std::size_t clauses_in(const std::vector<Part>& parts) {
  std::size_t clauses = 0;
  for (const Part& part : parts) {
    clauses += changes_along(part.won);
    for (const WonValues& won : part.won) clauses += won.sureness.size() - 1;
  }
  return clauses;
}

/// "at bandwidth 1Gbps: ring at workers 4, dpsgd at 8"; the outer name stands in the first part alone.
std::string part_text(const Part& part, bool is_first, const VariedDimension& outer,
                      const VariedDimension& inner) {
  std::vector<std::string> clauses;
  for (const WonValues& won : part.won)
    clauses.push_back(part.won.size() == 1
                          ? fmt::format("{}{}", won.name(), won.caution())
                          : fmt::format("{} at {}{}{}", won.name(), clauses.empty() ? inner.name + " " : "",
                                        inner.texts_of(won.places), won.caution()));
  return fmt::format("at {}{}: {}", is_first ? outer.name + " " : "", outer.texts_of(part.places),
                     fmt::join(clauses, ", "));
}

/// "The fastest by the mean at workers 4: ring; at 8: ring at bandwidth 1Gbps, dpsgd at 10Gbps."; empty if no
/// two dimensions decide, or there is too much to say.
std::string by_two_dimensions(const std::vector<VariedDimension>& varied,
                              const std::vector<SweepWinner>& winners) {
  std::size_t fewest = most_clauses + 1;
  std::string text;
  for (const VariedDimension& outer : varied)
    for (const VariedDimension& inner : varied) {
      if (&outer == &inner) continue;
      const std::vector<Part> parts = parts_of(outer, inner, winners);
      if (parts.empty() || clauses_in(parts) >= fewest) continue;
      fewest = clauses_in(parts);
      std::vector<std::string> texts;
      for (const Part& part : parts) texts.push_back(part_text(part, texts.empty(), outer, inner));
      text = fmt::format("The fastest by the mean {}.", fmt::join(texts, "; "));
    }
  return text;
}

/// Those of which another value, with all others the same, makes another one win.
std::vector<std::string> deciding_names(const std::vector<VariedDimension>& varied,
                                        const std::vector<SweepWinner>& winners) {
  std::vector<std::string> names;
  for (const VariedDimension& dimension : varied) {
    std::map<std::vector<std::size_t>, std::set<std::vector<std::string>>> met;
    for (std::size_t i = 0; i < winners.size(); ++i) {
      std::vector<std::size_t> others;
      for (const VariedDimension& other : varied)
        if (&other != &dimension) others.push_back(other.places[i]);
      met[others].insert(winners[i].algorithms);
    }
    if (std::ranges::any_of(met, [](const auto& each) { return each.second.size() > 1; }))
      names.push_back(dimension.name);
  }
  return names;
}

/// How often an algorithm is the fastest, also for sure.
struct WinCounts {
  std::string algorithm;
  int by_mean = 0;
  int for_sure = 0;
};

/// The most often first. Of those that take as long the scenario's first counts.
std::vector<WinCounts> counts_of(const std::vector<SweepWinner>& winners) {
  std::map<std::string, WinCounts> by_name;
  for (const SweepWinner& winner : winners) {
    WinCounts& counts = by_name[winner.algorithms.front()];
    counts.algorithm = winner.algorithms.front();
    ++counts.by_mean;
    if (winner.sureness == Sureness::for_sure) ++counts.for_sure;
  }
  std::vector<WinCounts> sorted;
  for (const auto& [name, counts] : by_name) sorted.push_back(counts);
  std::ranges::stable_sort(sorted, std::ranges::greater(), &WinCounts::by_mean);
  return sorted;
}

std::string for_sure_text(const std::vector<SweepWinner>& winners) {
  const auto is_decided = [](const SweepWinner& winner) {
    return winner.sureness != Sureness::untold && winner.without_interval.empty();
  };
  if (std::ranges::none_of(winners, is_decided)) return "";
  std::vector<std::string> for_sure;
  for (const WinCounts& counts : counts_of(winners))
    if (counts.for_sure > 0) for_sure.push_back(fmt::format("{} in {}", counts.algorithm, counts.for_sure));
  if (for_sure.empty()) for_sure.emplace_back("none");
  return fmt::format(
      "Fastest for sure, where no other 95 % interval overlaps: {}. The intervals are of sampling alone; how "
      "far the model is off is not in them.",
      fmt::join(for_sure, ", "));
}

std::string untold_text(const std::vector<SweepWinner>& winners) {
  const auto untold =
      static_cast<std::size_t>(std::ranges::count(winners, Sureness::untold, &SweepWinner::sureness));
  if (untold == winners.size()) return "Nothing tells how sure these means are.";
  if (untold == 0) return "";
  return fmt::format("Nothing tells how sure the means of {} are.", counted(untold, "combination"));
}

std::string undecided_text(const std::vector<SweepWinner>& winners) {
  std::size_t undecided = 0;
  std::set<std::string> without_interval;
  for (const SweepWinner& winner : winners) {
    if (!winner.without_interval.empty()) ++undecided;
    without_interval.insert(winner.without_interval.begin(), winner.without_interval.end());
  }
  if (undecided == 0) return "";
  return fmt::format("Of {} nothing tells who is the fastest for sure, as these have no interval: {}.",
                     counted(undecided, "combination"), fmt::join(without_interval, ", "));
}

/// "96 combinations"; where algorithms vary, too, of what: "96 combinations of workers and bandwidth". Empty
/// if nothing else varies.
std::string combinations_text(const SweepPlan& plan, std::size_t count) {
  const std::vector<std::string> names = short_names(plan.pointers());
  std::vector<std::string> others;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!is_of_algorithms(plan.pointers()[i])) others.push_back(names[i]);
  if (others.size() == names.size()) return counted(count, "combination");
  return others.empty() ? "" : fmt::format("{} of {}", counted(count, "combination"), listed(others));
}

/// "Fastest by the mean, of 6 combinations: ring in 4, dpsgd in 2."
std::string fastest_text(const SweepPlan& plan, const std::vector<SweepWinner>& winners) {
  const std::string combinations = combinations_text(plan, winners.size());
  if (combinations.empty())
    return fmt::format("Fastest by the mean: {}.", listed(winners.front().algorithms));
  std::vector<std::string> by_mean;
  for (const WinCounts& counts : counts_of(winners))
    by_mean.push_back(fmt::format("{} in {}", counts.algorithm, counts.by_mean));
  return fmt::format("Fastest by the mean, of {}: {}.", combinations, fmt::join(by_mean, ", "));
}

}  // namespace

SweepCompetition::SweepCompetition(const SweepPlan& plan)
    : plan_(plan), are_varied_(std::ranges::any_of(plan.pointers(), is_of_algorithms)) {}

void SweepCompetition::add(std::int64_t combination, std::size_t place, FoundTime time) {
  const std::vector<json> values = plan_.values(combination);
  json others = json::array();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_of_algorithms(plan_.pointers()[i])) others.push_back(values[i]);
  std::string algorithm;
  if (are_varied_)
    algorithm = plan_.document(combination, 0)
                    .json.at(json::json_pointer(fmt::format("/algorithms/{}", place)))
                    .dump();
  variants_[time.algorithm].emplace(algorithm, combination);
  const auto [group, is_new] = group_at_.emplace(others.dump(), groups_.size());
  if (is_new) groups_.emplace_back();
  groups_[group->second].push_back({combination, place, std::move(algorithm), std::move(time)});
}

std::string SweepCompetition::name_of(const Entry& entry) const {
  const auto& variants = variants_.at(entry.time.algorithm);
  if (variants.size() == 1) return entry.time.algorithm;
  const std::vector<std::string> names = short_names(plan_.pointers());
  const std::vector<json> values = plan_.values(entry.combination);
  std::vector<std::string> told;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& pointer = plan_.pointers()[i];
    if (pointer != "/algorithms" && !is_at_or_below(pointer, fmt::format("/algorithms/{}", entry.place)))
      continue;
    const auto is_other = [&](const auto& variant) { return plan_.values(variant.second)[i] != values[i]; };
    if (std::ranges::any_of(variants, is_other))
      told.push_back(values[i].is_null() ? fmt::format("{} of the base", names[i])
                                         : fmt::format("{} {}", names[i], value_text(values[i])));
  }
  return fmt::format("{} with {}", entry.time.algorithm, listed(told));
}

std::vector<SweepWinner> SweepCompetition::winners() const {
  std::vector<SweepWinner> winners;
  for (const std::vector<Entry>& group : groups_) {
    std::vector<FoundTime> times;
    std::set<std::pair<std::string, std::string>> met;  // what does not vary comes with all that do
    for (const Entry& entry : group)
      if (met.emplace(entry.time.algorithm, entry.algorithm).second) {
        times.push_back(entry.time);
        times.back().algorithm = name_of(entry);
      }
    if (times.size() > 1) winners.push_back(winner_of(group.front().combination, times));
  }
  return winners;
}

SweepWinner winner_of(std::int64_t combination, const std::vector<FoundTime>& times) {
  const FoundTime& least = *std::ranges::min_element(times, {}, &FoundTime::mean_s);
  SweepWinner winner{.combination = combination, .algorithms = {}};
  for (const FoundTime& time : times) {
    if (!time.interval_95_s) winner.without_interval.push_back(time.algorithm);
    if (take_as_long(time.mean_s, least.mean_s)) winner.algorithms.push_back(time.algorithm);
  }
  if (winner.without_interval.size() == times.size()) {
    winner.without_interval.clear();
    return winner;
  }
  const auto may_be_faster = [&](const FoundTime& other) {
    return &other != &least && other.interval_95_s->least <= least.interval_95_s->greatest;
  };
  const bool is_sure = winner.algorithms.size() == 1 && winner.without_interval.empty() &&
                       std::ranges::none_of(times, may_be_faster);
  winner.sureness = is_sure ? Sureness::for_sure : Sureness::not_for_sure;
  return winner;
}

std::string where_fastest_text(const SweepPlan& plan, const json& dimensions,
                               const std::vector<SweepWinner>& winners) {
  const auto is_as_first = [&](const SweepWinner& winner) {
    return winner.algorithms == winners.front().algorithms;
  };
  if (std::ranges::all_of(winners, is_as_first)) {
    const std::vector<std::string>& all = winners.front().algorithms;
    if (all.size() == 1) return "";
    return fmt::format("{}{} take equally long.", winners.size() == 1 ? "" : "In all of them ", listed(all));
  }
  const std::vector<VariedDimension> varied = varied_dimensions(plan, dimensions, winners);
  if (std::string text = by_one_dimension(varied, winners); !text.empty()) return text;
  if (std::string text = by_two_dimensions(varied, winners); !text.empty()) return text;
  std::vector<std::string> names = deciding_names(varied, winners);
  if (names.empty())
    for (const VariedDimension& dimension : varied) names.push_back(dimension.name);
  return fmt::format("Which one it is depends on {}, as the table of all combinations tells.", listed(names));
}

std::vector<std::string> answer_of(const SweepPlan& plan, const json& dimensions,
                                   const std::vector<SweepWinner>& winners) {
  std::vector<std::string> sentences{fastest_text(plan, winners),
                                     where_fastest_text(plan, dimensions, winners), for_sure_text(winners),
                                     untold_text(winners), undecided_text(winners)};
  std::erase(sentences, "");
  return sentences;
}

}  // namespace starling
