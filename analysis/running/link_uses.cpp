#include "analysis/running/link_uses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace starling {
namespace {

/// In each period that the run reaches into, how much of the link's bandwidth was used.
std::vector<double> busy_over_time(const LinkWatch& watch, LinkIndex index, std::span<const double> carried,
                                   double run_s) {
  const double bandwidth_Bps = watch.links()[static_cast<std::size_t>(index)].bandwidth_Bps;
  std::vector<double> fractions;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const double length_s = std::min(watch.period_s(), run_s - static_cast<double>(i) * watch.period_s());
    if (length_s <= 0) break;
    // The fair model lets links carry a little too much; what rounding leaves may be less than nothing.
    fractions.push_back(std::clamp(carried[i] / (bandwidth_Bps * length_s), 0.0, 1.0));
  }
  return fractions;
}

}  // namespace

LinkUses link_uses(LinkWatch& watch, bool is_told, double run_s, std::optional<std::int64_t> iterations) {
  watch.end_run(run_s);
  LinkUses result{.links_of_network = watch.links().size(), .run_s = run_s, .iterations = iterations};
  if (is_told) result.period_s = watch.period_s();
  for (std::size_t i = 0; i < watch.links().size(); ++i) {
    const auto index = static_cast<LinkIndex>(i);
    const Link& link = watch.links()[i];
    const LinkWatch::Use use = watch.use(index);
    if (use.bytes() == 0) continue;
    const std::vector<double> carried = watch.carried(index);
    const double carried_bytes = is_told ? std::accumulate(carried.begin(), carried.end(), 0.0) : use.bytes();
    const double most_bytes = link.bandwidth_Bps * run_s;
    result.used.push_back({.name = link.name,
                           .bandwidth_Bps = link.bandwidth_Bps,
                           .bytes = use.bytes(),
                           .busy_fraction = most_bytes > 0 ? std::min(1.0, carried_bytes / most_bytes) : 0,
                           .over_time = {},
                           .most_bytes_under_way = use.most_bytes_under_way,
                           .bytes_while = use.bytes_while});
    if (is_told) result.used.back().over_time = busy_over_time(watch, index, carried, run_s);
  }
  return result;
}

}  // namespace starling
