#include "analysis/studies/sweep_estimate.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace starling {
namespace {

/// What the runs that were measured took.
struct Measured {
  double sum_s = 0;
  double least_s = std::numeric_limits<double>::infinity();
  int count = 0;
  /// Of those with a usual time, what they took and usually take.
  double known_s = 0;
  double usual_s = 0;

  explicit Measured(std::span<const SampledRun> runs) {
    for (const SampledRun& run : runs)
      if (run.measured_s) add(*run.measured_s, run.usual_s);
  }

  /// Of one that was not.
  double expected_s(double of_usual_s) const {
    if (count == 0) return of_usual_s;
    if (of_usual_s == 0) return sum_s / count;
    const double factor = usual_s > 0 ? known_s / usual_s : 1;
    return std::max(least_s, factor * of_usual_s);
  }

 private:
  void add(double measured_s, double of_usual_s) {
    sum_s += measured_s;
    least_s = std::min(least_s, measured_s);
    ++count;
    if (of_usual_s > 0) known_s += measured_s;
    usual_s += of_usual_s;
  }
};

}  // namespace

std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> chosen;
  const std::int64_t number = std::min(count, most);
  for (std::int64_t i = 0; i < number; ++i)
    chosen.push_back(number == 1 ? 0 : i * (count - 1) / (number - 1));
  return chosen;
}

std::vector<std::size_t> to_measure(std::span<const SampledRun> runs, double most_s) {
  if (runs.empty()) return {};
  const auto longest = std::ranges::max_element(runs, {}, &SampledRun::usual_s);
  std::set<std::size_t> chosen{0, runs.size() / 2, runs.size() - 1,
                               static_cast<std::size_t>(longest - runs.begin())};
  std::erase_if(chosen, [&](std::size_t number) { return runs[number].usual_s > most_s; });
  return {chosen.begin(), chosen.end()};
}

double mean_time_s(std::span<const SampledRun> runs) {
  if (runs.empty()) return 0;
  const Measured measured(runs);
  double sum_s = 0;
  for (const SampledRun& run : runs)
    sum_s += run.measured_s ? *run.measured_s : measured.expected_s(run.usual_s);
  return sum_s / static_cast<double>(runs.size());
}

}  // namespace starling
