#include "analysis/model/version_news.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

#include "base/numbers/simultaneous.hpp"

namespace starling {
namespace {

constexpr double never_s = std::numeric_limits<double>::infinity();
constexpr double not_known = -1;

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

}  // namespace

VersionNews::VersionNews(ModeledRun& run)
    : run_(run),
      dimensions_(std::countr_zero(static_cast<unsigned>(run.ranks()))),
      news_(at(run.ranks())),
      notification_s_(news_.size() * static_cast<std::size_t>(dimensions_), not_known) {
  if (run.network().costs.overhead_s > 0 && dimensions_ > 0)
    run.note_estimate(
        "activations of partial collectives are assumed not to wait for other messages of a worker");
  const SmallMessageRules& rules = run.network().rules;
  const bool may_meet_data = rules.take_links || rules.keep_order || !run.are_small(Notification::bytes);
  if (may_meet_data && dimensions_ > 0)
    run.note_estimate("activations of partial collectives are assumed not to contend with data");
}

Moments VersionNews::spread(const VersionStart& start, const Moments& called_s, const Moments& free_s) {
  begin(start, called_s);
  if (start.by == VersionStart::By::everyone) return called_s;
  while (!agenda_.empty()) {
    const Entry first = agenda_.top();
    agenda_.pop();
    const News& news = of(first.rank);
    const bool is_newest = first.time_s == news.time_s && first.arrival_s == news.arrival_s;
    if (is_newest) notify_neighbors(first.rank, free_s);
  }
  count();
  Moments known_s;
  known_s.reserve(news_.size());
  for (const News& news : news_) known_s.push_back(news.time_s);
  return known_s;
}

void VersionNews::begin(const VersionStart& start, const Moments& called_s) {
  std::ranges::fill(news_, News{.time_s = never_s, .arrival_s = never_s, .dimension = 0});
  for (Rank rank = 0; rank < run_.ranks(); ++rank) {
    const double called = called_s[at(rank)];
    if (start.by == VersionStart::By::anyone || start.initiator == rank)
      learn(rank, {.time_s = called, .arrival_s = called, .dimension = 0});
  }
}

/// Takes over earlier news. Of simultaneous news either may be first, which decides who is told next, and
/// when.
void VersionNews::learn(Rank rank, const News& news) {
  News& known = of(rank);
  const bool is_tie =
      are_simultaneous(news.time_s, known.time_s) && are_simultaneous(news.arrival_s, known.arrival_s);
  const bool decides = is_tie && news.dimension != known.dimension;
  if (std::tie(news.time_s, news.arrival_s) < std::tie(known.time_s, known.arrival_s)) {
    known = news;
    agenda_.push({news.time_s, news.arrival_s, rank});
  }
  known.decides = known.decides || decides;
  known.is_sure = known.is_sure && !is_tie;
}

void VersionNews::notify_neighbors(Rank rank, const Moments& free_s) {
  const News told = of(rank);
  double launch_s = told.time_s;
  for (int dimension = told.dimension; dimension < dimensions_; ++dimension) {
    const Rank neighbor = rank ^ (1 << dimension);
    launch_s += run_.network().costs.overhead_s;
    const double arrival_s = launch_s + notification_s(rank, dimension);
    learn(neighbor, {.time_s = std::max(arrival_s, free_s[at(neighbor)]),
                     .arrival_s = arrival_s,
                     .dimension = dimension + 1});
  }
}

double VersionNews::notification_s(Rank rank, int dimension) {
  double& seconds =
      notification_s_[at(rank) * static_cast<std::size_t>(dimensions_) + static_cast<std::size_t>(dimension)];
  if (seconds == not_known) {
    const Leg leg = run_.routes().leg(Notification::bytes, run_.routes().hop(rank, rank ^ (1 << dimension)));
    seconds = leg.transmission_s + leg.latency_s + leg.protocol_latency_s + run_.network().costs.overhead_s;
  }
  return seconds;
}

void VersionNews::count() {
  std::uint64_t notifications = 0;
  for (const News& news : news_) {
    notifications += static_cast<std::uint64_t>(dimensions_ - news.dimension);
    if (!news.is_sure) run_.note_tie();
    if (news.decides) run_.note_decisive_tie();
  }
  run_.count_messages(notifications, Notification::bytes);
}

}  // namespace starling
