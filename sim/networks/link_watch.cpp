#include "sim/networks/link_watch.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.hpp"

namespace starling {
namespace {

/// Shorter than the time of any message.
constexpr double shortest_period_s = 0x1p-40;

std::vector<double> equal_periods(std::size_t periods, double period_s) {
  std::vector<double> begins_s;
  for (std::size_t i = 0; i <= periods; ++i) begins_s.push_back(static_cast<double>(i) * period_s);
  return begins_s;
}

std::vector<double> without_end(std::vector<double> begins_s) {
  STARLING_INVARIANT(!begins_s.empty() && begins_s.front() == 0);
  begins_s.push_back(std::numeric_limits<double>::infinity());
  return begins_s;
}

}  // namespace

LinkWatch::LinkWatch(std::span<const Link> links, std::size_t most_periods)
    : LinkWatch(links, equal_periods(most_periods, shortest_period_s), 1 / shortest_period_s) {
  STARLING_INVARIANT(most_periods > 0 && most_periods % 2 == 0);
}

LinkWatch::LinkWatch(std::span<const Link> links, std::vector<double> begins_s)
    : LinkWatch(links, without_end(std::move(begins_s)), 0) {}

LinkWatch::LinkWatch(std::span<const Link> links, std::vector<double> begins_s, double periods_per_s)
    : links_(links),
      begins_s_(std::move(begins_s)),
      periods_per_s_(periods_per_s),
      bytes_while_(links.size() * activities),
      loads_(links.size()),
      rates_(links.size()),
      carried_(links.size() * periods()) {}

/// Doubles the length of periods until they reach time_s. All lengths are powers of two, so nothing is
/// rounded.
void LinkWatch::cover(double time_s) {
  const std::size_t half = periods() / 2;
  while (time_s > begins_s_.back()) {
    latest_end_s_ = 0;
    begins_s_ = equal_periods(periods(), 2 * period_s());
    periods_per_s_ /= 2;
    for (std::size_t i = 0; i < half; ++i)
      for (LinkIndex link = 0; at(link) < links_.size(); ++link)
        carried_in(i, link) = carried_in(2 * i, link) + carried_in(2 * i + 1, link);
    std::fill_n(carried_.begin() + static_cast<std::ptrdiff_t>(half * links_.size()), half * links_.size(),
                0.0);
  }
}

LinkWatch::Use LinkWatch::use(LinkIndex link) const {
  const Load& load = loads_[at(link)];
  Use use{.bytes_under_way = load.bytes, .most_bytes_under_way = std::max(load.most_bytes, load.bytes)};
  for (std::size_t i = 0; i < activities; ++i)
    use.bytes_while[i] = bytes_while_[i * links_.size() + at(link)];
  return use;
}

std::vector<double> LinkWatch::carried(LinkIndex link) const {
  std::vector<double> by_period;
  for (std::size_t i = 0; i < periods(); ++i) by_period.push_back(carried_[i * links_.size() + at(link)]);
  return by_period;
}

std::size_t LinkWatch::period_at(double time_s) const {
  if (periods_per_s_ > 0) return std::min(periods() - 1, static_cast<std::size_t>(time_s * periods_per_s_));
  const auto next = std::upper_bound(begins_s_.begin() + 1, begins_s_.end() - 1, time_s);
  return static_cast<std::size_t>(next - begins_s_.begin()) - 1;
}

LinkWatch::When LinkWatch::find_when(double begin_s, double end_s) {
  reach(end_s);
  const std::size_t first = period_at(begin_s);
  const std::size_t last = period_at(end_s);
  latest_ = first;
  latest_begin_s_ = begins_s_[first];
  latest_end_s_ = begins_s_[first + 1];
  return {.begin_s = begin_s, .end_s = end_s, .first = first, .last = end_s > begin_s ? last : first};
}

void LinkWatch::spread(LinkIndex link, double bytes, const When& when) {
  const double Bps = bytes / (when.end_s - when.begin_s);
  carried_in(when.first, link) += Bps * (end_s(when.first) - when.begin_s);
  for (std::size_t i = when.first + 1; i < when.last; ++i)
    carried_in(i, link) += Bps * (end_s(i) - begin_s(i));
  carried_in(when.last, link) += Bps * (when.end_s - begin_s(when.last));
}

void LinkWatch::set_rate(LinkIndex link, double rate_Bps, double now_s) {
  if (at(link) >= rates_.size()) return;  // a model's own link
  Rate& rate = rates_[at(link)];
  if (now_s > rate.since_s) {
    if (rate.rate_Bps > 0) carry(link, rate.rate_Bps * (now_s - rate.since_s), rate.since_s, now_s);
    rate.since_s = now_s;
  }
  rate.rate_Bps = rate_Bps;
}

void LinkWatch::end_run(double now_s) {
  reach(now_s);
  for (std::size_t i = 0; i < rates_.size(); ++i) set_rate(static_cast<LinkIndex>(i), 0, now_s);
}

}  // namespace starling
