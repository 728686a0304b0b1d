#include "algorithms/collectives/evaluation/ring_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "algorithms/collectives/schedules/chunks.hpp"
#include "base/errors.hpp"
#include "sim/networks/small_message.hpp"

namespace starling {
namespace {

using Times = std::vector<double>;

using Hop = RingEvaluator::Hop;

/// True if two moments may be in either order after the rounding of thousands of sums.
bool are_simultaneous(double one_s, double other_s) {
  constexpr double rounding = 1e-11;
  return std::abs(one_s - other_s) <= rounding * std::abs(one_s);
}

/// Hop r leads from rank r to the next one. Empty if two share a link.
std::vector<Hop> separate_hops(const Routes& routes) {
  const int ranks = routes.workers();
  std::vector<Hop> hops;
  std::vector<bool> is_used(routes.links().size(), false);
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Rank right = Ring(rank, ranks).right();
    Hop& hop = hops.emplace_back();
    hop.is_inside_host = routes.host_of(rank) == routes.host_of(right);
    for (const LinkIndex index : routes.route(rank, right)) {
      const std::size_t i = static_cast<std::size_t>(index);
      if (is_used[i]) return {};
      is_used[i] = true;
      hop.latency_s += routes.links()[i].latency_s;
      hop.s_per_byte = std::max(hop.s_per_byte, 1 / routes.links()[i].bandwidth_Bps);
    }
  }
  return hops;
}

/// All ranks of a ring between two steps. In all arrays entry r+1 belongs to rank r, and entry 0 repeats the
/// last, so that every rank finds its left neighbor before it.
class RingState {
 public:
  /// `messages_pass`: none waits for those before it.
  RingState(std::span<const Hop> hops, std::span<const double> begin_s, std::span<const double> free_s,
            const MessageCosts& costs, bool messages_pass);

  /// bytes[r+1] is what rank r sends, for r = −1 … P−2.
  void step(const double* bytes, double reduction_s_per_byte);
  /// True if the last step took every rank and every hop equally long.
  bool advanced_evenly() const;
  /// Repeats the last step `times` times; only where it advanced evenly and all chunks are alike.
  void repeat(int times);

  Times begin_s() const { return {begin_s_.begin() + 1, begin_s_.end()}; }
  /// Entries 0 … P−1 of free_s_ are those of ranks −1 … P−2: what step() keeps up to date.
  Times free_s() const;
  bool is_exact() const { return is_exact_; }

 private:
  /// Returns how many messages are there when their receivers begin, or within rounding of it.
  template <bool are_hops_alike, bool messages_pass>
  std::int64_t exchange(const double* bytes, double reduction_s_per_byte);
  std::int64_t exchange(const double* bytes, double reduction_s_per_byte);
  void delay_by_early_arrivals(const double* bytes, double reduction_s_per_byte);
  void send_late(std::size_t rank, const double* bytes, double reduction_s_per_byte);

  MessageCosts costs_;
  bool messages_pass_;
  std::size_t ranks_;
  Times latency_s_;
  Times s_per_byte_;
  Times protocol_latency_s_;
  bool are_hops_alike_;
  Times begin_s_;
  Times next_begin_s_;
  Times free_s_;  // when the hop from the rank is free
  Times next_free_s_;
  Times arrival_s_;  // of the message to the rank
  bool is_exact_ = true;
};

RingState::RingState(std::span<const Hop> hops, std::span<const double> begin_s,
                     std::span<const double> free_s, const MessageCosts& costs, bool messages_pass)
    : costs_(costs),
      messages_pass_(messages_pass),
      ranks_(begin_s.size()),
      are_hops_alike_(std::ranges::adjacent_find(hops, std::not_equal_to<>()) == hops.end()),
      begin_s_{begin_s.back()},
      next_begin_s_(ranks_ + 1),
      free_s_{free_s.back()},
      next_free_s_(ranks_ + 1),
      arrival_s_(ranks_ + 1) {
  begin_s_.insert(begin_s_.end(), begin_s.begin(), begin_s.end());
  free_s_.insert(free_s_.end(), free_s.begin(), free_s.end());
  for (std::size_t entry = 0; entry <= ranks_; ++entry) {
    const Hop& hop = hops[entry == 0 ? ranks_ - 1 : entry - 1];
    latency_s_.push_back(hop.latency_s);
    s_per_byte_.push_back(hop.s_per_byte);
    protocol_latency_s_.push_back(hop.protocol_latency_s);
  }
}

template <bool are_hops_alike, bool messages_pass>
std::int64_t RingState::exchange(const double* __restrict bytes, double reduction_s_per_byte) {
  constexpr double rounding = 1e-11;  // as in are_simultaneous
  const double* __restrict begin = begin_s_.data();
  const double* __restrict free = free_s_.data();
  const double* __restrict latency = latency_s_.data();
  const double* __restrict s_per_byte = s_per_byte_.data();
  const double* __restrict protocol_latency = protocol_latency_s_.data();
  double* __restrict next_free = next_free_s_.data();
  double* __restrict next_begin = next_begin_s_.data();
  double* __restrict arrivals = arrival_s_.data();
  const double overhead_s = costs_.overhead_s;
  std::int64_t early = 0;
  for (std::size_t left = 0; left < ranks_; ++left) {
    const std::size_t hop = are_hops_alike ? 0 : left;
    const double left_launch_s = begin[left] + overhead_s;
    const double transmission_s = bytes[left] * s_per_byte[hop];
    const double gone_s = (left_launch_s > free[left] ? left_launch_s : free[left]) + transmission_s;
    const double arrival_s = (messages_pass ? left_launch_s + transmission_s : gone_s) + latency[hop];
    const double launch_s = begin[left + 1] + overhead_s;
    // The same if the message is there when the round begins: then the launch comes last, 2o after the
    // beginning.
    const double received_s =
        (arrival_s > launch_s ? arrival_s : launch_s) + overhead_s + protocol_latency[hop];
    next_free[left] = gone_s;
    arrivals[left + 1] = arrival_s;
    next_begin[left + 1] = received_s + bytes[left] * reduction_s_per_byte;
    early += arrival_s <= begin[left + 1] * (1 + rounding) ? 1 : 0;
  }
  return early;
}

std::int64_t RingState::exchange(const double* bytes, double reduction_s_per_byte) {
  if (messages_pass_)
    return are_hops_alike_ ? exchange<true, true>(bytes, reduction_s_per_byte)
                           : exchange<false, true>(bytes, reduction_s_per_byte);
  return are_hops_alike_ ? exchange<true, false>(bytes, reduction_s_per_byte)
                         : exchange<false, false>(bytes, reduction_s_per_byte);
}

/// A rank whose message is already there receives it first, which delays its own message by o. So fewer
/// messages are early than it seemed: ranks are gone through around the ring, after one that waits, in the
/// order of cause and effect.
void RingState::delay_by_early_arrivals(const double* bytes, double reduction_s_per_byte) {
  std::size_t waiting = 1;
  while (arrival_s_[waiting] <= begin_s_[waiting]) ++waiting;
  for (std::size_t i = 1; i <= ranks_; ++i) {
    const std::size_t rank = waiting + i <= ranks_ ? waiting + i : waiting + i - ranks_;
    if (are_simultaneous(arrival_s_[rank], begin_s_[rank])) is_exact_ = false;
    if (arrival_s_[rank] <= begin_s_[rank]) send_late(rank, bytes, reduction_s_per_byte);
  }
}

void RingState::send_late(std::size_t rank, const double* bytes, double reduction_s_per_byte) {
  const std::size_t left = rank == ranks_ ? 0 : rank;
  const double left_launch_s = begin_s_[rank] + 2 * costs_.overhead_s;
  const double transmission_s = bytes[left] * s_per_byte_[left];
  next_free_s_[left] = std::max(left_launch_s, free_s_[left]) + transmission_s;
  arrival_s_[left + 1] =
      (messages_pass_ ? left_launch_s + transmission_s : next_free_s_[left]) + latency_s_[left];
  const double launch_s = begin_s_[left + 1] + costs_.overhead_s;
  next_begin_s_[left + 1] = std::max(arrival_s_[left + 1], launch_s) + costs_.overhead_s +
                            protocol_latency_s_[left] + bytes[left] * reduction_s_per_byte;
}

void RingState::step(const double* bytes, double reduction_s_per_byte) {
  const std::int64_t early = exchange(bytes, reduction_s_per_byte);
  if (early > 0 && costs_.overhead_s > 0) delay_by_early_arrivals(bytes, reduction_s_per_byte);
  next_begin_s_[0] = next_begin_s_[ranks_];
  begin_s_.swap(next_begin_s_);
  free_s_.swap(next_free_s_);
}

bool RingState::advanced_evenly() const {
  const double advance_s = begin_s_[0] - next_begin_s_[0];
  for (std::size_t entry = 0; entry < ranks_; ++entry) {
    if (begin_s_[entry] - next_begin_s_[entry] != advance_s) return false;
    if (free_s_[entry] - next_free_s_[entry] != advance_s) return false;
  }
  return true;
}

Times RingState::free_s() const {
  Times free_s(free_s_.begin() + 1, free_s_.begin() + static_cast<std::ptrdiff_t>(ranks_));
  free_s.push_back(free_s_.front());
  return free_s;
}

void RingState::repeat(int times) {
  const double advance_s = times * (begin_s_[0] - next_begin_s_[0]);
  for (double& begin : begin_s_) begin += advance_s;
  for (double& free : free_s_) free += advance_s;
}

/// The bytes of chunk i mod P at place i+1, i = −1 … 2P−1.
Times chunk_bytes(const RingSchedule& schedule, double bytes_per_element) {
  const EvenPartition chunks(schedule.count(), schedule.ranks());
  Times bytes;
  for (int i = -1; i < 2 * schedule.ranks(); ++i) {
    const int chunk = (i + schedule.ranks()) % schedule.ranks();
    bytes.push_back(static_cast<double>(chunks.chunk(chunk).count) * bytes_per_element);
  }
  return bytes;
}

}  // namespace

RingEvaluator::RingEvaluator(std::vector<Hop> hops, const MessageCosts& costs, const Routes& routes)
    : hops_(std::move(hops)),
      costs_(costs),
      protocols_(costs.protocols, routes),
      has_hops_inside_hosts_(std::ranges::any_of(hops_, &Hop::is_inside_host)),
      has_hops_between_hosts_(!std::ranges::all_of(hops_, &Hop::is_inside_host)),
      free_s_(hops_.size(), 0.0),
      last_departure_s_(hops_.size(), -std::numeric_limits<double>::infinity()) {}

std::optional<RingEvaluator> RingEvaluator::make(const Routes& routes, const MessageCosts& costs) {
  if (routes.workers() < 2) return std::nullopt;
  std::vector<Hop> hops = separate_hops(routes);
  if (hops.empty()) return std::nullopt;
  return RingEvaluator(std::move(hops), costs, routes);
}

bool RingEvaluator::can_follow(const RingSchedule& schedule, double bytes_per_element) const {
  if (schedule.count() < schedule.ranks()) return false;
  const EvenPartition chunks(schedule.count(), schedule.ranks());
  const auto bytes_of = [&](int chunk) {
    return static_cast<double>(chunks.chunk(chunk).count) * bytes_per_element;
  };
  const double most_bytes = bytes_of(0);
  const double least_bytes = bytes_of(schedule.ranks() - 1);
  const bool passes = messages_pass(least_bytes);
  const auto are_alike = [&](bool is_inside_host) {
    return protocols_.is_same(least_bytes, most_bytes, is_inside_host) &&
           is_small(least_bytes, is_inside_host) == passes && is_small(most_bytes, is_inside_host) == passes;
  };
  return (!has_hops_inside_hosts_ || are_alike(true)) && (!has_hops_between_hosts_ || are_alike(false));
}

bool RingEvaluator::is_small(double bytes, bool is_inside_host) const {
  return protocols_.wire(bytes, is_inside_host).bytes <= small_message_bytes;
}

/// Of messages that are alike on all hops.
bool RingEvaluator::messages_pass(double bytes) const {
  return is_small(bytes, hops_.front().is_inside_host);
}

/// The hops for messages of about so many bytes.
std::vector<Hop> RingEvaluator::hops_for(double bytes) const {
  std::vector<Hop> hops = hops_;
  if (protocols_.is_empty() || bytes <= 0) return hops;
  for (Hop& hop : hops) {
    const ProtocolChoice::Wire wire = protocols_.wire(bytes, hop.is_inside_host);
    hop.s_per_byte *= wire.bytes / bytes;
    hop.protocol_latency_s = wire.latency_s;
  }
  return hops;
}

Evaluation RingEvaluator::evaluate(const RingSchedule& schedule, std::span<const double> begin_s,
                                   double bytes_per_element) {
  const int ranks = schedule.ranks();
  STARLING_INVARIANT(static_cast<std::size_t>(ranks) == hops_.size() && begin_s.size() == hops_.size() &&
                     can_follow(schedule, bytes_per_element));
  const Times bytes = chunk_bytes(schedule, bytes_per_element);
  const std::vector<Hop> hops = hops_for(bytes[1]);
  const bool passes = messages_pass(bytes[1]);
  RingState state(hops, begin_s, free_s_, costs_, passes);
  const bool is_even = schedule.count() % ranks == 0;
  const int first_step = schedule.phase() == RingSchedule::Phase::allgather ? ranks - 1 : 0;
  const int end_step = first_step + schedule.rounds(0);
  for (int step = first_step; step < end_step; ++step) {
    // Rank −1, who is the last, sends chunk −2−step.
    const double* sent = &bytes[static_cast<std::size_t>(ranks - 1 - step % ranks)];
    const bool reduces = step < ranks - 1;
    state.step(sent, reduces ? costs_.reduction_s_per_byte : 0);
    const int left_in_phase = (reduces ? ranks - 1 : end_step) - step - 1;
    if (is_even && left_in_phase > 0 && state.advanced_evenly()) {
      state.repeat(left_in_phase);
      step += left_in_phase;
    }
  }
  const bool is_exact = state.is_exact() && !(passes && overtakes(begin_s));
  free_s_ = state.free_s();
  if (!passes) note_last_departures(&bytes[static_cast<std::size_t>(ranks - (end_step - 1) % ranks)], hops);
  return Evaluation{
      .end_s = state.begin_s(),
      .is_exact = is_exact,
      .messages = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(schedule.rounds(0))};
}

/// A message that waits its turn before the first link of its hop would meet those that slip past it on the
/// next link, which one link for the whole hop does not show.
bool RingEvaluator::overtakes(std::span<const double> begin_s) const {
  for (std::size_t rank = 0; rank < begin_s.size(); ++rank) {
    const double launch_s = begin_s[rank] + costs_.overhead_s;
    if (launch_s <= last_departure_s_[rank] || are_simultaneous(launch_s, last_departure_s_[rank]))
      return true;
  }
  return false;
}

/// bytes[r] is what rank r sent last.
void RingEvaluator::note_last_departures(const double* bytes, std::span<const Hop> hops) {
  for (std::size_t rank = 0; rank < hops_.size(); ++rank)
    last_departure_s_[rank] = free_s_[rank] - bytes[rank] * hops[rank].s_per_byte;
}

}  // namespace starling
