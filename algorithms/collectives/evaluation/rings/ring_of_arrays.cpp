#include "algorithms/collectives/evaluation/rings/ring_of_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers/simultaneous.hpp"

namespace starling {
namespace {

double larger(double one, double other) { return one > other ? one : other; }

/// Whether small messages are supported: the completion of their sends must not depend on messages that they
/// pass.
bool may_be_small(const Leg& leg, const FreeRoutes& network) {
  if (network.rules().take_links || leg.is_rendezvous) return false;
  const bool has_room = leg.transmission_s <= leg.buffered_s;
  return leg.completion == SendCompletion::at_launch || (network.rules().keep_order && has_room);
}

/// The legs of the largest chunks, by rank. Empty if other chunks or hops differ from them in more than their
/// times.
std::vector<Leg> legs_if_alike(const ChunkSizes& chunks, std::span<const Hop> hops,
                               const FreeRoutes& network) {
  std::vector<Leg> legs;
  if (chunks.bytes[0] == 0) return legs;
  legs.reserve(hops.size());
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (i > 0 && hops[i] == hops[i - 1]) {
      legs.push_back(legs.back());
      continue;
    }
    const Leg leg = network.leg(chunks.most_bytes(), hops[i]);
    const bool is_like = leg.is_like(network.leg(chunks.bytes[0], hops[i])) &&
                         (legs.empty() || (leg.is_small == legs.front().is_small &&
                                           leg.is_rendezvous == legs.front().is_rendezvous &&
                                           leg.completion == legs.front().completion));
    if (!is_like || (leg.is_small && !may_be_small(leg, network))) return {};
    legs.push_back(leg);
  }
  return legs;
}

}  // namespace

std::optional<RingOfArrays> RingOfArrays::make(const ChunkSizes& chunks, std::span<const Hop> hops,
                                               const FreeRoutes& network, std::span<const RankState> ranks) {
  const std::vector<Leg> legs = legs_if_alike(chunks, hops, network);
  if (legs.empty()) return std::nullopt;
  const auto is_behind_small = [](const RankState& rank) { return rank.small_gone_s > rank.begin_s; };
  if (!legs.front().is_small && std::ranges::any_of(ranks, is_behind_small)) return std::nullopt;
  return RingOfArrays(chunks, legs, hops, network, ranks);
}

RingOfArrays::RingOfArrays(const ChunkSizes& chunks, std::span<const Leg> legs, std::span<const Hop> hops,
                           const FreeRoutes& network, std::span<const RankState> ranks)
    : ranks_(ranks.size()),
      overhead_s_(network.costs().overhead_s),
      keeps_order_(network.rules().keep_order),
      is_small_(legs.front().is_small),
      is_rendezvous_(legs.front().is_rendezvous),
      completion_(legs.front().completion),
      are_hops_alike_(std::ranges::adjacent_find(hops, std::not_equal_to<>()) == hops.end()) {
  const std::size_t entries = ranks_ + 1;
  storage_.resize(2 * ranks_ + 1 + (are_hops_alike_ ? 6 : 6 * entries) + 8 * entries);
  double* next = storage_.data();
  const auto take = [&](std::size_t count) { return std::exchange(next, next + count); };
  bytes_ = take(2 * ranks_ + 1);
  for (double** of_hops :
       {&s_per_byte_, &latency_s_, &back_latency_s_, &protocol_latency_s_, &paced_s_per_byte_, &buffered_s_})
    *of_hops = take(are_hops_alike_ ? 1 : entries);
  for (double** of_ranks : {&begin_s_, &next_begin_s_, &free_s_, &next_free_s_, &small_gone_s_,
                            &next_small_gone_s_, &start_s_, &arrival_s_})
    *of_ranks = take(entries);
  const int workers = static_cast<int>(ranks_);
  for (int i = -1; i < 2 * workers; ++i)
    bytes_[i + 1] = chunks.bytes[chunks.size_of((i + workers) % workers)];
  for (std::size_t entry = 0; entry < (are_hops_alike_ ? 1 : entries); ++entry) {
    const Leg& leg = legs[entry == 0 ? ranks_ - 1 : entry - 1];
    s_per_byte_[entry] = leg.transmission_s / chunks.most_bytes();
    latency_s_[entry] = leg.latency_s;
    back_latency_s_[entry] = leg.back_latency_s;
    protocol_latency_s_[entry] = leg.protocol_latency_s;
    paced_s_per_byte_[entry] = leg.paced_s / chunks.most_bytes();
    buffered_s_[entry] = leg.buffered_s;
  }
  for (std::size_t entry = 0; entry < entries; ++entry) {
    const RankState& rank = ranks[entry == 0 ? ranks_ - 1 : entry - 1];
    begin_s_[entry] = rank.begin_s;
    free_s_[entry] = rank.free_s;
    start_s_[entry] = rank.start_s;
    small_gone_s_[entry] = is_small_ ? rank.small_gone_s : FreeRoutes::never_s;
  }
}

/// Computes the messages of all ranks: rank r sends `bytes[r+1]`, for r = −1 … P−2. Small messages wait for
/// each other, but not for other messages ahead of them on the hop; with keep_order, a small message with
/// another message ahead of it waits like any other message.
template <RingOfArrays::Protocol protocol, bool are_hops_alike>
void RingOfArrays::send(const double* __restrict bytes) {
  const double* __restrict begin = begin_s_;
  const double* __restrict free = free_s_;
  const double* __restrict small_gone = small_gone_s_;
  const double* __restrict s_per_byte = s_per_byte_;
  const double* __restrict latency = latency_s_;
  const double* __restrict back_latency = back_latency_s_;
  double* __restrict next_free = next_free_s_;
  double* __restrict next_small_gone = next_small_gone_s_;
  double* __restrict start = start_s_;
  double* __restrict arrival = arrival_s_;
  const double overhead_s = overhead_s_;
  const double no_order = keeps_order_ ? 0 : FreeRoutes::never_s;
  for (std::size_t left = 0; left < ranks_; ++left) {
    const std::size_t hop = are_hops_alike ? 0 : left;
    const double transmission_s = bytes[left] * s_per_byte[hop];
    double ready_s = begin[left] + overhead_s;
    if constexpr (protocol == Protocol::small) {
      const double free_s = free[left] + no_order;
      const bool waits = free_s > ready_s;
      const double gone_s = (waits ? free_s : ready_s) + transmission_s;
      const double last_gone_s = waits ? gone_s : larger(small_gone[left], gone_s);
      next_small_gone[left] = waits ? small_gone[left] : last_gone_s;
      next_free[left] = waits ? gone_s : free[left];
      start[left] = waits ? free_s : start[left];
      arrival[left + 1] = last_gone_s + latency[hop];
    } else {
      if constexpr (protocol == Protocol::rendezvous) {
        const double request_s = larger(ready_s, free[left] + no_order) + latency[hop];
        ready_s = larger(request_s, begin[left + 1]) + back_latency[hop];
      }
      start[left] = larger(ready_s, free[left]);
      next_free[left] = start[left] + transmission_s;
      arrival[left + 1] = next_free[left] + latency[hop];
    }
  }
}

template <bool are_hops_alike>
void RingOfArrays::send_all(const double* bytes) {
  if (is_small_) return send<Protocol::small, are_hops_alike>(bytes);
  if (is_rendezvous_) return send<Protocol::rendezvous, are_hops_alike>(bytes);
  send<Protocol::eager, are_hops_alike>(bytes);
}

template <bool are_hops_alike>
void RingOfArrays::receive(const double* __restrict bytes, double reduction_s_per_byte) {
  const double* __restrict begin = begin_s_;
  const double* __restrict arrival = arrival_s_;
  const double* __restrict protocol_latency = protocol_latency_s_;
  const double* __restrict paced_s_per_byte = paced_s_per_byte_;
  double* __restrict next_begin = next_begin_s_;
  const double overhead_s = overhead_s_;
  for (std::size_t left = 0; left < ranks_; ++left) {
    const std::size_t hop = are_hops_alike ? 0 : left;
    const double readable_s = arrival[left + 1] + protocol_latency[hop] + bytes[left] * paced_s_per_byte[hop];
    const double received_s = larger(readable_s, begin[left + 1] + overhead_s) + overhead_s;
    next_begin[left + 1] = received_s + bytes[left] * reduction_s_per_byte;
  }
}

/// Delays the end of each rank's step, and thus its reduction, until its own send is complete.
void RingOfArrays::hold_until_complete() {
  for (std::size_t entry = 1; entry <= ranks_; ++entry) {
    const std::size_t sender = entry == ranks_ ? 0 : entry;
    double complete_s = arrival_s_[sender + 1];
    if (completion_ == SendCompletion::at_start) complete_s = start_s_[sender];
    if (completion_ == SendCompletion::at_departure)
      complete_s = next_free_s_[sender] - buffered_s_[are_hops_alike_ ? 0 : sender];
    next_begin_s_[entry] = larger(next_begin_s_[entry], complete_s);
  }
}

void RingOfArrays::step(int step, double reduction_s_per_byte) {
  // Rank −1, that is, the last rank, sends chunk −2−step.
  const double* bytes = &bytes_[ranks_ - 1 - static_cast<std::size_t>(step) % ranks_];
  const bool waits = completion_ != SendCompletion::at_launch;
  const double reduction_of_receiving = waits ? 0 : reduction_s_per_byte;
  if (are_hops_alike_) {
    send_all<true>(bytes);
    receive<true>(bytes, reduction_of_receiving);
  } else {
    send_all<false>(bytes);
    receive<false>(bytes, reduction_of_receiving);
  }
  if (waits) {
    hold_until_complete();
    for (std::size_t left = 0; left < ranks_; ++left)
      next_begin_s_[left + 1] += bytes[left] * reduction_s_per_byte;
  }
  next_begin_s_[0] = next_begin_s_[ranks_];
  std::swap(begin_s_, next_begin_s_);
  std::swap(free_s_, next_free_s_);
  if (is_small_) std::swap(small_gone_s_, next_small_gone_s_);
}

bool RingOfArrays::advanced_evenly() const {
  const double advance_s = begin_s_[0] - next_begin_s_[0];
  const auto is_even = [&](double now_s, double before_s) {
    return std::abs(now_s - before_s - advance_s) <= rounding_of_distances * now_s;
  };
  const auto has_stayed = [&](std::size_t entry) {
    return is_small_ && free_s_[entry] == next_free_s_[entry];
  };
  for (std::size_t entry = 0; entry < ranks_; ++entry)
    if (!is_even(begin_s_[entry], next_begin_s_[entry]) ||
        (!has_stayed(entry) && !is_even(free_s_[entry], next_free_s_[entry])))
      return false;
  return true;
}

void RingOfArrays::repeat(int times) {
  const double advance_s = times * (begin_s_[0] - next_begin_s_[0]);
  for (std::size_t entry = 0; entry <= ranks_; ++entry) begin_s_[entry] += advance_s;
  for (std::size_t entry = 0; entry < ranks_; ++entry) {
    if (small_gone_s_[entry] != next_small_gone_s_[entry]) small_gone_s_[entry] += advance_s;
    if (free_s_[entry] == next_free_s_[entry]) continue;
    free_s_[entry] += advance_s;
    start_s_[entry] += advance_s;
  }
}

namespace {

/// Copies an array that is indexed by senders, where rank r is at entry first + r + 1 and the last rank at
/// entry `first`, to one that is indexed by rank.
void copy_of_senders(const double* from, std::size_t first, std::size_t ranks, double* to) {
  std::copy_n(from + first + 1, ranks - 1, to);
  to[ranks - 1] = from[first];
}

}  // namespace

void RingOfArrays::note_sent(const SentTimes& times) const {
  copy_of_senders(next_free_s_, 0, ranks_, times.free_s);
  copy_of_senders(arrival_s_, 1, ranks_, times.arrival_s);
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    times.ready_s[rank] = next_begin_s_[rank + 1] + overhead_s_;
  for (std::size_t rank = 0; is_rendezvous_ && rank < ranks_; ++rank) {
    const std::size_t own = sender(rank);
    const std::size_t hop = are_hops_alike_ ? 0 : own;
    const double launch_s = times.ready_s[rank];
    const double order_s = keeps_order_ ? larger(launch_s, times.free_s[rank]) : launch_s;
    times.ready_s[rank] = larger(order_s + latency_s_[hop], next_begin_s_[own + 1]) + back_latency_s_[hop];
  }
}

void RingOfArrays::note(const StepTimes& times) const {
  std::copy_n(next_begin_s_ + 1, ranks_, times.begin_s);
  copy_of_senders(next_free_s_, 0, ranks_, times.free_s);
  copy_of_senders(start_s_, 0, ranks_, times.start_s);
  copy_of_senders(arrival_s_, 1, ranks_, times.arrival_s);
}

/// In arrays that are indexed by senders, entries 0 … P−1 belong to ranks −1 … P−2.
std::vector<RankState> RingOfArrays::ranks() const {
  std::vector<RankState> ranks;
  ranks.reserve(ranks_);
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const std::size_t own = sender(rank);
    ranks.push_back({begin_s_[rank + 1], free_s_[own], start_s_[own], small_gone_s_[own]});
  }
  return ranks;
}

}  // namespace starling
