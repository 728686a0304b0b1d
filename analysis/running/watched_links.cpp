#include "analysis/running/watched_links.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace starling {
namespace {

/// The share of the link's bandwidth that was used, in each sampling period that the run reaches into.
std::vector<double> busy_over_time(const LinkWatch& watch, LinkIndex index, std::span<const double> carried,
                                   double run_s) {
  const double bandwidth_Bps = watch.links()[static_cast<std::size_t>(index)].bandwidth_Bps;
  std::vector<double> fractions;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const double length_s = std::min(watch.period_s(), run_s - static_cast<double>(i) * watch.period_s());
    if (length_s <= 0) break;
    // The fair model lets links carry a little too much, and rounding may make a share negative.
    fractions.push_back(std::clamp(carried[i] / (bandwidth_Bps * length_s), 0.0, 1.0));
  }
  return fractions;
}

}  // namespace

LinkUses link_uses(LinkWatch& watch, bool is_reported, double run_s, std::optional<std::int64_t> iterations) {
  watch.end_run(run_s);
  LinkUses result{.links_of_network = watch.links().size(), .run_s = run_s, .iterations = iterations};
  if (is_reported) result.period_s = watch.period_s();
  for (std::size_t i = 0; i < watch.links().size(); ++i) {
    const auto index = static_cast<LinkIndex>(i);
    const Link& link = watch.links()[i];
    const LinkWatch::Use use = watch.use(index);
    if (use.bytes() == 0) continue;
    const std::vector<double> carried = watch.carried(index);
    const double carried_bytes =
        is_reported ? std::accumulate(carried.begin(), carried.end(), 0.0) : use.bytes();
    const double most_bytes = link.bandwidth_Bps * run_s;
    result.used.push_back({.name = link.name,
                           .bandwidth_Bps = link.bandwidth_Bps,
                           .bytes = use.bytes(),
                           .busy_fraction = most_bytes > 0 ? std::min(1.0, carried_bytes / most_bytes) : 0,
                           .over_time = {},
                           .most_bytes_under_way = use.most_bytes_under_way,
                           .bytes_while = use.bytes_while});
    if (is_reported) result.used.back().over_time = busy_over_time(watch, index, carried, run_s);
  }
  return result;
}

RepeatedLinks::RepeatedLinks(std::span<const Link> links, int workers, const Repetition& repetition)
    : repetition_(repetition),
      whole_(links),
      watch_(links, edges_s()),
      workers_(workers),
      begun_(static_cast<std::size_t>(repetition.simulated_iterations)) {}

/// The simulated moments of which the ends of the whole run's sampling periods are repetitions, sorted.
std::vector<double> RepeatedLinks::edges_s() {
  whole_.reach(repetition_.run_s);
  std::vector<double> edges_s = {0, repetition_.begin_s, repetition_.end_s};
  for (std::size_t i = 0; i < whole_.periods(); ++i) edges_s.push_back(moment(whole_.end_s(i)).simulated_s);
  std::ranges::sort(edges_s);
  const auto same = std::ranges::unique(edges_s);
  edges_s.erase(same.begin(), same.end());
  return edges_s;
}

RepeatedLinks::Moment RepeatedLinks::moment(double time_s) const {
  const double now_s = std::min(time_s, repetition_.run_s);
  if (now_s <= repetition_.end_s) return {.simulated_s = now_s, .repetitions = 0};
  const double one_s = repetition_.end_s - repetition_.begin_s;
  const double whole = std::floor((now_s - repetition_.end_s) / one_s);
  const double into_s = now_s - repetition_.end_s - whole * one_s;
  return {.simulated_s = std::clamp(repetition_.begin_s + into_s, repetition_.begin_s, repetition_.end_s),
          .repetitions = whole + 1};
}

LoadSource RepeatedLinks::observed(LoadSource load) {
  return [this, load = std::move(load)](Rank rank, std::int64_t iteration) {
    const bool is_repeated = iteration >= repetition_.simulated_iterations - repetition_.period;
    if (++begun_[static_cast<std::size_t>(iteration)] == workers_ && is_repeated)
      bytes_before_.push_back(bytes_so_far());
    return load(rank, iteration);
  };
}

std::vector<RepeatedLinks::BytesWhile> RepeatedLinks::bytes_so_far() const {
  std::vector<BytesWhile> bytes;
  for (std::size_t link = 0; link < watch_.links().size(); ++link)
    bytes.push_back(watch_.use(static_cast<LinkIndex>(link)).bytes_while);
  return bytes;
}

LinkUses RepeatedLinks::uses(bool is_reported) const {
  LinkWatch whole = whole_;
  for (LinkIndex link = 0; static_cast<std::size_t>(link) < whole.links().size(); ++link) {
    add_bytes(link, whole);
    add_carried(link, whole);
    whole.had_under_way(link, watch_.use(link).most_bytes_under_way);
  }
  return link_uses(whole, is_reported, repetition_.run_s, repetition_.iterations);
}

void RepeatedLinks::add_bytes(LinkIndex link, LinkWatch& whole) const {
  const BytesWhile all = watch_.use(link).bytes_while;
  const auto index = static_cast<std::size_t>(link);
  const std::int64_t further = repetition_.further_iterations();
  const auto repetitions = static_cast<double>(further / repetition_.period);
  const auto rest = static_cast<std::size_t>(further % repetition_.period);
  for (std::size_t at = 0; at < LinkWatch::activities; ++at) {
    const double before = bytes_before_.front()[index][at];
    const double of_rest = bytes_before_[rest][index][at] - before;
    whole.had_sent(link, all[at] + repetitions * (all[at] - before) + of_rest, static_cast<Activity>(at));
  }
}

/// In each sampling period a link carried what it had carried by its end, less what it had by its beginning.
void RepeatedLinks::add_carried(LinkIndex link, LinkWatch& whole) const {
  std::vector<double> until = {0};  // the beginnings of the simulated periods
  for (const double bytes : watch_.carried(link)) until.push_back(until.back() + bytes);
  const auto until_simulated = [&](double time_s) {
    std::size_t period = 0;
    while (watch_.begin_s(period) < time_s) ++period;
    return until[period];
  };
  const double repeated = until_simulated(repetition_.end_s) - until_simulated(repetition_.begin_s);
  double before = 0;
  for (std::size_t period = 0; period < whole.periods(); ++period) {
    const Moment end = moment(whole.end_s(period));
    const double now = until_simulated(end.simulated_s) + end.repetitions * repeated;
    whole.carry_in(period, link, now - before);
    before = now;
  }
}

}  // namespace starling
