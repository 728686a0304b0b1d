#include "analysis/charts/sweeps/sweep_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/charts/sweeps/where_fastest.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using Sureness = SweepWinner::Sureness;

/// In how many combinations an algorithm is the fastest by the mean, and in how many for sure.
struct WinCounts {
  std::string algorithm;
  int by_mean = 0;
  int for_sure = 0;
};

/// The counts of all winners, the greatest first. If several algorithms tie, the scenario's first one counts.
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
    return winner.sureness != Sureness::unknown && winner.without_interval.empty();
  };
  if (std::ranges::none_of(winners, is_decided)) return "";
  std::vector<std::string> for_sure;
  for (const WinCounts& counts : counts_of(winners))
    if (counts.for_sure > 0) for_sure.push_back(fmt::format("{} in {}", counts.algorithm, counts.for_sure));
  if (for_sure.empty()) for_sure.emplace_back("none");
  return fmt::format(
      "Certainly the fastest, as no other 95 % interval overlaps: {}. The intervals are of the sampling "
      "error "
      "only, without the model's error.",
      fmt::join(for_sure, ", "));
}

std::string unknown_text(const std::vector<SweepWinner>& winners) {
  const auto unknown =
      static_cast<std::size_t>(std::ranges::count(winners, Sureness::unknown, &SweepWinner::sureness));
  if (unknown == winners.size()) return "The uncertainty of these means is unknown.";
  if (unknown == 0) return "";
  return fmt::format("The uncertainty of the means of {} is unknown.", counted(unknown, "combination"));
}

std::string undecided_text(const std::vector<SweepWinner>& winners) {
  std::size_t undecided = 0;
  std::set<std::string> without_interval;
  for (const SweepWinner& winner : winners) {
    if (!winner.without_interval.empty()) ++undecided;
    without_interval.insert(winner.without_interval.begin(), winner.without_interval.end());
  }
  if (undecided == 0) return "";
  return fmt::format("For {} it is not certain which is the fastest, as these have no interval: {}.",
                     counted(undecided, "combination"), fmt::join(without_interval, ", "));
}

/// "96 combinations", or, if algorithms vary as well, "96 combinations of workers and bandwidth"; empty if
/// nothing but algorithms varies.
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

std::vector<std::string> answer_of(const SweepPlan& plan, const nlohmann::json& dimensions,
                                   const std::vector<SweepWinner>& winners) {
  std::vector<std::string> sentences{fastest_text(plan, winners),
                                     where_fastest_text(plan, dimensions, winners), for_sure_text(winners),
                                     unknown_text(winners), undecided_text(winners)};
  std::erase(sentences, "");
  return sentences;
}

}  // namespace starling
