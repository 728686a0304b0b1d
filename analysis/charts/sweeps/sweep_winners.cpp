#include "analysis/charts/sweeps/sweep_winners.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "analysis/charts/result_facts.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "io/json/json_text.hpp"

namespace starling {

using nlohmann::json;

bool is_of_algorithms(const std::string& pointer) { return is_at_or_below(pointer, "/algorithms"); }

std::string listed(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return texts.front();
  return fmt::format("{} and {}", fmt::join(std::span(texts).first(texts.size() - 1), ", "), texts.back());
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
  winner.sureness = is_sure ? SweepWinner::Sureness::for_sure : SweepWinner::Sureness::not_for_sure;
  return winner;
}

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
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& pointer = plan_.pointers()[i];
    if (pointer != "/algorithms" && !is_at_or_below(pointer, fmt::format("/algorithms/{}", entry.place)))
      continue;
    const auto is_other = [&](const auto& variant) { return plan_.values(variant.second)[i] != values[i]; };
    if (std::ranges::any_of(variants, is_other))
      parts.push_back(values[i].is_null() ? fmt::format("{} of the base", names[i])
                                          : fmt::format("{} {}", names[i], value_text(values[i])));
  }
  return fmt::format("{} with {}", entry.time.algorithm, listed(parts));
}

std::vector<SweepWinner> SweepCompetition::winners() const {
  std::vector<SweepWinner> winners;
  for (const std::vector<Entry>& group : groups_) {
    std::vector<FoundTime> times;
    std::set<std::pair<std::string, std::string>>
        met;  // an algorithm that does not vary is in all combinations
    for (const Entry& entry : group)
      if (met.emplace(entry.time.algorithm, entry.algorithm).second) {
        times.push_back(entry.time);
        times.back().algorithm = name_of(entry);
      }
    if (times.size() > 1) winners.push_back(winner_of(group.front().combination, times));
  }
  return winners;
}

}  // namespace starling
