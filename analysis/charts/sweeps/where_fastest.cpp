#include "analysis/charts/sweeps/where_fastest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/studies/sweep_tables.hpp"
#include "io/json/json_text.hpp"

namespace starling {
namespace {

using nlohmann::json;
using Sureness = SweepWinner::Sureness;

/// A dimension that varies: its name, its values in order, and the index of each winner's value.
struct VariedDimension {
  std::string name;
  std::vector<std::string> values = {};
  bool are_numbers = false;
  std::vector<std::size_t> places = {};

  std::string text_of(std::size_t place) const {
    return values[place].empty() ? "the base's value" : values[place];
  }
  /// Some of the values in words: "2 to 16 and 64". Three or more successive numbers are given by the first
  /// and the last.
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

/// The dimensions that vary among the winners' combinations, without those of algorithms.
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
  // Workers come first: they, and not dimensions that vary with them, are taken to be the cause.
  std::ranges::stable_partition(varied, [](const VariedDimension& each) { return each.name == "workers"; });
  return varied;
}

/// The values of a dimension at which an algorithm, or several that tie, win, and how sure these wins are.
struct WonValues {
  std::vector<std::string> algorithms;
  std::set<std::size_t> places = {};
  std::set<Sureness> sureness = {};

  std::string name() const {
    return algorithms.size() == 1 ? algorithms.front() : fmt::format("{} alike", listed(algorithms));
  }
  std::string_view caution() const {
    if (!sureness.contains(Sureness::not_for_sure)) return "";
    return sureness.size() == 1 ? " (not certainly)" : " (not always certainly)";
  }
  /// Whether the other one reads the same in a sentence.
  bool wins_at_the_same(const WonValues& other) const {
    return algorithms == other.algorithms && places == other.places && caution() == other.caution();
  }
};

/// What each algorithm wins along a dimension, among the winners whose indices `counts` selects, in order of
/// the first value; empty if a value has different winners.
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

/// The most clauses of a sentence.
constexpr std::size_t most_clauses = 6;

/// The number of maximal ranges of neighboring values with the same winner.
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

/// The winners along one dimension, for some values of another one.
struct Part {
  std::set<std::size_t> places;
  std::vector<WonValues> won;
};

/// A part for each range of neighboring values of `outer` with the same winners along `inner`; empty if the
/// two dimensions do not determine the winner.
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

/// The number of clauses of a sentence on these parts. Wins that are only partly sure count as one more.
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

/// The dimensions in which a change of the value alone changes the winner.
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

}  // namespace

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
  return fmt::format("Which one it is depends on {}, as the table of all combinations shows.", listed(names));
}

}  // namespace starling
