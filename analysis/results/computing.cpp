#include "analysis/results/computing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/results/metrics.hpp"
#include "analysis/statistics/estimate.hpp"

namespace starling {
namespace {

Computing::Late lateness(std::vector<double> late_s) {
  std::ranges::sort(late_s);
  const auto count = static_cast<double>(late_s.size());
  Computing::Late late{.p95 = quantile(late_s, 0.95), .max = late_s.back()};
  for (const double one_s : late_s) late.mean += one_s / count;
  late.std = standard_deviation(late_s, late.mean);
  return late;
}

}  // namespace

Computing computing(const IterationLog& log, std::int64_t warmup_iterations) {
  const std::size_t iterations = iterations_of(log);
  const std::size_t first = first_counted(log, warmup_iterations);
  const auto counted = static_cast<double>(iterations - first);
  Computing result;
  std::vector<double> late_s;
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    Computing::OfRank& own = result.ranks.emplace_back();
    const std::size_t before = late_s.size();
    for (const IterationRecord& record : log.of(rank).subspan(first)) {
      own.planned_s += record.planned_s / counted;
      own.passed_s += record.busy_s() / counted;
      late_s.push_back(record.busy_s() - record.planned_s);
    }
    own.latest_s = *std::max_element(late_s.begin() + static_cast<std::ptrdiff_t>(before), late_s.end());
    result.planned_s += own.planned_s / log.workers();
    result.passed_s += own.passed_s / log.workers();
  }
  result.late_s = lateness(std::move(late_s));
  return result;
}

std::vector<std::string> signs_of_load(const std::string& label, double iteration_s,
                                       std::optional<double> mean_late_s,
                                       std::optional<double> coefficient_of_variation) {
  constexpr double most_late = 0.01;
  constexpr double most_spread = 0.05;
  std::vector<std::string> signs;
  const double late = iteration_s > 0 ? mean_late_s.value_or(0) / iteration_s : 0;
  if (late > most_late)
    signs.push_back(
        fmt::format("computing of {} was late by {:.1f} % of the iteration on average (less than {:.0f} % on "
                    "a quiet machine): are other programs running here, or more ranks than cores?",
                    label, 100 * late, 100 * most_late));
  if (coefficient_of_variation.value_or(0) > most_spread)
    signs.push_back(
        fmt::format("the repetitions of {} differ by {:.0f} % (standard deviation over mean; at most {:.0f} "
                    "% on a quiet machine): are other programs running here, or more ranks than cores?",
                    label, 100 * *coefficient_of_variation, 100 * most_spread));
  return signs;
}

}  // namespace starling
