#include "algorithms/collectives/evaluation/rings/observation/ring_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <ranges>
#include <utility>

#include "base/numbers/simultaneous.hpp"

namespace starling {

namespace {

double first_begin_s(std::span<const RankState> ranks) {
  return std::ranges::min(ranks, {}, &RankState::begin_s).begin_s;
}

double last_begin_s(std::span<const RankState> ranks) {
  return std::ranges::max(ranks, {}, &RankState::begin_s).begin_s;
}

/// Whether any message of the ring may arrive after its sender begins the step of its state in `senders`.
bool may_be_under_way(const EvaluatedRing& ring, std::span<const RankState> senders) {
  for (std::size_t rank = 0; rank < senders.size(); ++rank)
    if (ring.after[right_of(rank, senders.size())].begin_s > senders[rank].begin_s) return true;
  return false;
}

/// The first of `messages` messages whose time is `time_s` or later; `messages` if there is none.
std::int64_t first_since(const EvenTimes& moments, std::int64_t messages, double time_s) {
  if (moments.of(messages - 1) < time_s) return messages;
  if (moments.first_s >= time_s) return 0;
  return std::min(messages, static_cast<std::int64_t>(std::ceil((time_s - moments.first_s) / moments.gap_s)));
}

/// The number of the ring's steps in which the rank sends one of the larger chunks.
std::int64_t larger_sent(const EvaluatedRing& ring, std::size_t rank) {
  const auto ranks = static_cast<std::int64_t>(ring.before.size());
  const std::int64_t larger = ring.chunks.larger_chunks;
  // The number of larger chunks among the first n chunks c, c−1, c−2 … that a rank sends, modulo P.
  const auto of_first = [&](std::int64_t n) {
    const std::int64_t first = (static_cast<std::int64_t>(rank) - 1 + ranks) % ranks;
    const std::int64_t whole = n / ranks;
    const std::int64_t left = n % ranks;  // from `first` down
    const std::int64_t least = first - left + 1;
    const auto below = [&](std::int64_t end) { return std::clamp<std::int64_t>(end, 0, larger); };
    const std::int64_t wrapped = least < 0 ? below(ranks) - below(ranks + least) : 0;
    return whole * larger + below(first + 1) - below(std::max<std::int64_t>(least, 0)) + wrapped;
  };
  return of_first(ring.end_step) - of_first(ring.first_step);
}

/// The least total time of n neighboring hops, for hops that repeat around a ring. O(period²) to build.
class LeastOfNeighbors {
 public:
  explicit LeastOfNeighbors(std::span<const double> takes_s)
      : least_s_(takes_s.size() + 1, std::numeric_limits<double>::infinity()) {
    least_s_[0] = 0;
    for (std::size_t first = 0; first < takes_s.size(); ++first) {
      double sum_s = 0;
      for (std::size_t hops = 1; hops <= takes_s.size(); ++hops) {
        sum_s += takes_s[(first + hops - 1) % takes_s.size()];
        least_s_[hops] = std::min(least_s_[hops], sum_s);
      }
    }
  }
  double of(std::int64_t hops) const {
    const auto period = static_cast<std::int64_t>(least_s_.size()) - 1;
    return static_cast<double>(hops / period) * least_s_.back() +
           least_s_[static_cast<std::size_t>(hops % period)];
  }

 private:
  std::vector<double> least_s_;
};

}  // namespace

RingTraffic::RingTraffic(const RingEvaluator& rings, LinkWatch& watch)
    : rings_(rings),
      watch_(watch),
      ranks_(rings.hops().size()),
      trains_(rings),
      hops_(ranks_),
      under_way_(ranks_) {
  const Routes& routes = rings.network().routes();
  for (Rank rank = 0; rank < routes.workers(); ++rank)
    hops_[static_cast<std::size_t>(rank)].route = routes.route(rank, Ring(rank, routes.workers()).right());
}

void RingTraffic::begin(EvaluatedRing ring, std::vector<Activity> activities) {
  ring_ = std::move(ring);
  activities_ = std::move(activities);
}

void RingTraffic::end() {
  for (const RankState& rank : ring_.after) watch_.reach(std::max(rank.begin_s, rank.free_s));
  find_sizes(ring_.chunks);
  std::vector<double> most_bytes = most_under_way();
  if (can_leave_out(most_bytes)) {
    report_at_once();
    left_out_ = {std::move(ring_), std::move(most_bytes)};
  } else {
    note_left_out();
    report_by_trains();
  }
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    end_period(rank);
    end_activity(rank);
  }
}

void RingTraffic::find_sizes(const ChunkSizes& chunks) {
  const FreeRoutes& network = rings_.network();
  const RingHops& hops = rings_.hops();
  chunks_ = chunks;
  legs_ = legs_of(chunks, hops, network);
  wire_bytes_.clear();
  for (const Hop& hop : hops.kinds)
    wire_bytes_.push_back(
        {network.wire_bytes(chunks.bytes[0], hop), network.wire_bytes(chunks.bytes[1], hop)});
  std::size_t small = 0;
  const std::size_t first_size = first_size_sent();
  for (const Legs& legs : legs_)
    for (std::size_t size = first_size; size < legs.size(); ++size) small += legs[size].is_small ? 1 : 0;
  are_small_ = small > 0;
  are_alike_ = small == 0 || small == (2 - first_size) * legs_.size();
}

/// The least time from when a rank sends a chunk until the next rank forwards it, by the kind of hop.
std::vector<double> RingTraffic::least_times_s() const {
  const double overhead_s = rings_.network().costs().overhead_s;
  std::vector<double> times_s;
  for (const Legs& legs : legs_) {
    const auto takes_s = [&](const Leg& leg) {
      return leg.transmission_s + leg.latency_s + leg.protocol_latency_s + leg.paced_s + 2 * overhead_s;
    };
    times_s.push_back(std::min(takes_s(legs[first_size_sent()]), takes_s(legs[1])));
  }
  return times_s;
}

/// An upper bound of the bytes of the ring that are in flight on a hop at a time, by the kind of hop. Empty
/// if the period of the hops is too long to compute this for each ring.
///
/// In a ring of n steps, a chunk that a rank sends in step k has passed the k hops before the rank, and
/// will pass n−1−k hops after its own. So it is sent no earlier than the time of the former after the first
/// rank has entered, and arrives no later than the time of the latter before the last rank completes. If m
/// messages of a rank overlap, n+m−1 neighboring hops without its own have therefore taken less time than
/// the whole ring.
std::vector<double> RingTraffic::most_under_way() const {
  constexpr std::size_t longest_period = 64;
  const RingHops& hops = rings_.hops();
  if (hops.period() > longest_period) return {};
  const std::vector<double> times_s = least_times_s();
  std::vector<double> of_neighbors_s;
  for (std::size_t hop = 0; hop < hops.period(); ++hop) of_neighbors_s.push_back(times_s[hops.kind_of[hop]]);
  const LeastOfNeighbors least(of_neighbors_s);
  const double begin_s = first_begin_s(ring_.before);
  const double all_s = last_begin_s(ring_.after) - begin_s - rounding_of_moments * begin_s;
  const int steps = ring_.end_step - ring_.first_step;
  const auto numbers = std::views::iota(2, steps + 1);
  std::vector<double> most_bytes;
  for (std::size_t kind = 0; kind < legs_.size(); ++kind) {
    const auto may_overlap = [&](int number) { return least.of(steps + number - 1) - times_s[kind] < all_s; };
    const auto overlap = 1 + (std::ranges::partition_point(numbers, may_overlap) - numbers.begin());
    const auto [smaller, larger] = wire_bytes_[kind];
    const double bytes = chunks_.larger_chunks > 0 ? std::max(smaller, larger) : smaller;
    most_bytes.push_back(static_cast<double>(overlap) * bytes);
  }
  return most_bytes;
}

/// Whether `most_bytes` of the ring, together with the bytes of earlier rings in flight, may exceed the
/// maximum so far on any hop.
bool RingTraffic::may_be_most(std::span<const double> most_bytes) const {
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    if (under_way_.may_be_most(rank, ring_.before[rank].begin_s, most_bytes[rings_.hops().kind_of[rank]]))
      return true;
  return false;
}

/// Whether the whole ring lies in one period of the watch.
bool RingTraffic::is_in_period() const {
  const double begin_s = first_begin_s(ring_.before);
  return last_begin_s(ring_.after) < watch_.end_s(watch_.when(begin_s, begin_s).first);
}

bool RingTraffic::can_leave_out(std::vector<double> most_bytes) const {
  if (!are_alike_ || most_bytes.empty()) return false;
  if (!is_in_period() || !are_activities_kept() || !do_all_flow_alike()) return false;
  if (left_out_) {
    if (may_be_under_way(left_out_->ring, ring_.after)) return false;
    if (may_be_under_way(left_out_->ring, ring_.before))
      std::ranges::transform(most_bytes, left_out_->most_bytes, most_bytes.begin(), std::plus<>());
  }
  return !may_be_most(most_bytes);
}

/// Whether no rank changes its activity until it completes the ring.
bool RingTraffic::are_activities_kept() const {
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const double begin_s = ring_.before[rank].begin_s;
    const double end_s = ring_.after[rank].begin_s;
    for (const WorkerActivities::Since& since : watch_.workers().history(static_cast<Rank>(rank)))
      if (since.s >= begin_s && since.s < end_s && since.activity != activities_[rank]) return false;
  }
  return true;
}

/// Whether either all messages queue for links or none does. Small messages do not, unless they are kept in
/// order behind earlier messages that the hop still has to transmit.
bool RingTraffic::do_all_flow_alike() const {
  if (!are_small_ || !rings_.network().rules().keep_order) return true;
  const double overhead_s = rings_.network().costs().overhead_s;
  return std::ranges::all_of(ring_.before,
                             [&](const RankState& rank) { return rank.free_s <= rank.begin_s + overhead_s; });
}

void RingTraffic::report_at_once() {
  const double begin_s = first_begin_s(ring_.before);
  const std::size_t period = watch_.when(begin_s, begin_s).first;
  const std::int64_t steps = ring_.end_step - ring_.first_step;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const std::int64_t larger = larger_sent(ring_, rank);
    const double bytes = static_cast<double>(steps - larger) * wire_bytes(rank, 0) +
                         static_cast<double>(larger) * wire_bytes(rank, 1);
    hops_[rank].bytes_while += bytes;
    if (!are_small_) carry_in(rank, period, bytes);
  }
}

/// Adds the trains of the left-out ring to under_way_ if some of its messages may be in flight together with
/// those of the present ring.
void RingTraffic::note_left_out() {
  if (!left_out_) return;
  if (may_be_under_way(left_out_->ring, ring_.before)) {
    find_sizes(left_out_->ring.chunks);
    trains_.go_through(left_out_->ring, [this](std::size_t rank, const Train& train) {
      under_way_.send(rank, train, wire_bytes(rank, train.size));
    });
    find_sizes(ring_.chunks);
  }
  left_out_.reset();
}

void RingTraffic::report_by_trains() {
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    // What a rank sends at the moment at which it enters belongs to its activity before.
    hops_[rank].until_s = ring_.before[rank].begin_s * (1 + rounding_of_moments);
    hops_[rank].next_in_history = 0;
  }
  trains_.go_through(ring_, [this](std::size_t rank, const Train& train) {
    report_sent(rank, train);
    if (!train.passes) report_carried(rank, train);
    under_way_.send(rank, train, wire_bytes(rank, train.size));
  });
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    for (const LinkIndex link : hops_[rank].route) watch_.had_under_way(link, under_way_.most_bytes(rank));
}

void RingTraffic::report_sent(std::size_t rank, const Train& train) {
  OfHop& hop = hops_[rank];
  const double bytes = wire_bytes(rank, train.size);
  for (std::int64_t message = 0; message < train.messages;) {
    if (train.ready.of(message) >= hop.until_s) find_activity(rank, train.ready.of(message));
    const std::int64_t first = message++;
    message = std::max(message, first_since(train.ready, train.messages, hop.until_s));
    hop.bytes_while += static_cast<double>(message - first) * bytes;
  }
}

/// Finds the sender's activity at `now_s`, and when this ends. An activity that begins when the sender
/// completes the ring comes after all messages that the sender sends in it, even at the same moment.
void RingTraffic::find_activity(std::size_t rank, double now_s) {
  end_activity(rank);
  const std::span<const WorkerActivities::Since> history = watch_.workers().history(static_cast<Rank>(rank));
  const double end_s = ring_.after[rank].begin_s;
  const auto is_known = [&](std::size_t next) { return next < history.size() && history[next].s < end_s; };
  std::size_t& next = hops_[rank].next_in_history;
  const auto since_s = [&](std::size_t index) { return history[index].s * (1 - rounding_of_moments); };
  for (; is_known(next) && since_s(next) <= now_s; ++next) activities_[rank] = history[next].activity;
  hops_[rank].until_s = is_known(next) ? since_s(next) : std::numeric_limits<double>::infinity();
}

void RingTraffic::end_activity(std::size_t rank) {
  const double bytes = std::exchange(hops_[rank].bytes_while, 0);
  for (const LinkIndex link : hops_[rank].route) watch_.had_sent(link, bytes, activities_[rank]);
}

void RingTraffic::report_carried(std::size_t rank, const Train& train) {
  const double bytes = wire_bytes(rank, train.size);
  const double transmission_s = legs_[rings_.hops().kind_of[rank]][train.size].transmission_s;
  for (std::int64_t message = 0; message < train.messages;) {
    const double start_s = train.start.of(message);
    const LinkWatch::When when = watch_.when(start_s, start_s + transmission_s);
    const std::int64_t first = message++;
    if (when.first == when.last) {
      message = std::max(message,
                         first_since(train.start, train.messages, watch_.end_s(when.first) - transmission_s));
      carry_in(rank, when.first, static_cast<double>(message - first) * bytes);
    } else {
      for (const LinkIndex link : hops_[rank].route) watch_.carry(link, bytes, when);
    }
  }
}

void RingTraffic::carry_in(std::size_t rank, std::size_t period, double bytes) {
  if (hops_[rank].period != period) end_period(rank);
  hops_[rank].period = period;
  hops_[rank].carried_bytes += bytes;
}

void RingTraffic::end_period(std::size_t rank) {
  const double bytes = std::exchange(hops_[rank].carried_bytes, 0);
  if (bytes == 0) return;
  for (const LinkIndex link : hops_[rank].route) watch_.carry_in(hops_[rank].period, link, bytes);
}

}  // namespace starling
