#include "algorithms/collectives/evaluation/ring_under_way.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/simultaneous.hpp"

namespace starling {
namespace {

/// What arrives at the moment at which something is sent is not under way with it.
bool is_under_way(double arrival_s, double now_s) {
  return (arrival_s > now_s) & !are_simultaneous(arrival_s, now_s);
}

/// Messages, so that they stay in a cache; but some of each rank, as every look at them costs something.
constexpr std::size_t most_noted = 1 << 14;
constexpr std::size_t least_steps_noted = 8;

constexpr double any_s = std::numeric_limits<double>::infinity();

}  // namespace

RingUnderWay::RingUnderWay(std::size_t ranks)
    : ranks_(ranks),
      most_steps_(std::max(least_steps_noted, most_noted / ranks)),
      noted_sent_s_(most_steps_ * ranks),
      noted_arrivals_s_(most_steps_ * ranks),
      most_wait_s_(ranks),
      may_be_most_(ranks),
      since_s_(ranks),
      is_behind_others_(ranks),
      sent_(ranks),
      last_arrival_s_(ranks, FreeRoutes::never_s),
      last_bytes_(ranks),
      most_bytes_(ranks),
      several_(ranks),
      beside_others_(ranks) {}

void RingUnderWay::begin(std::size_t steps, std::span<const RankState> before,
                         const std::optional<Alike>& alike) {
  left_steps_ = steps;
  alike_ = alike;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    since_s_[rank] = before[rank].begin_s;
    is_behind_others_[rank] = is_under_way(last_arrival_s_[rank], since_s_[rank]);
  }
  // Small messages may arrive before what was sent before them.
  if (alike && alike->transmission_s == 0 &&
      std::ranges::find(is_behind_others_, true) != is_behind_others_.end())
    alike_.reset();
  begin_to_note();
}

bool RingUnderWay::may_be_most(std::span<const RankState> before, double bytes) const {
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    if (bytes + left_bytes(rank, before[rank].begin_s) > most_bytes_[rank]) return true;
  return false;
}

/// Of what was noted before, what may be under way at a time before which nothing more was sent.
double RingUnderWay::left_bytes(std::size_t rank, double now_s) const {
  if (!is_under_way(last_arrival_s_[rank], now_s)) return 0;
  const Several& several = several_[rank];
  return several.when_sent == sent_[rank] ? several.bytes : last_bytes_[rank];
}

void RingUnderWay::begin_to_note() {
  sent_s_ = noted_sent_s_.data();
  arrival_s_ = noted_arrivals_s_.data();
  if (alike_) find_most_waits();
}

/// Of a hop that sends one message after the other, each of which takes T, at most ⌈w/T⌉ are under way with
/// one that arrives w after it was sent. All that is noted, and what is left of before, may be less than was
/// under way once.
void RingUnderWay::find_most_waits() {
  const double noted_bytes = static_cast<double>(std::min(most_steps_, left_steps_)) * alike_->most_bytes;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const double messages = is_behind_others_[rank] ? 0 : std::floor(most_bytes_[rank] / alike_->most_bytes);
    most_wait_s_[rank] = messages * alike_->transmission_s;
    if (noted_bytes + left_bytes(rank, since_s_[rank]) <= most_bytes_[rank]) most_wait_s_[rank] = any_s;
    may_be_most_[rank] = 0;
  }
  some_may_be_most_ = std::ranges::any_of(most_wait_s_, [](double wait_s) { return wait_s < any_s; });
}

void RingUnderWay::step(const double* bytes) {
  if (!alike_) return look_at_step(bytes);
  bytes_.push_back(bytes);
  if (some_may_be_most_) note();
  sent_s_ += ranks_;
  arrival_s_ += ranks_;
  if (bytes_.size() == most_steps_) look_at_noted();
}

void RingUnderWay::end() {
  if (!bytes_.empty()) look_at_noted();
}

void RingUnderWay::note() {
  const double* const sent = sent_s_;
  const double* const arrival = arrival_s_;
  const double* const before = bytes_.size() == 1 ? last_arrival_s_.data() : arrival - ranks_;
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    may_be_most_[rank] |= static_cast<int>(arrival[rank] - sent[rank] > most_wait_s_[rank]) &
                          static_cast<int>(is_under_way(before[rank], sent[rank]));
}

void RingUnderWay::look_at_noted() {
  for (std::size_t rank = 0; rank < ranks_; ++rank) look_at_noted(rank);
  left_steps_ -= bytes_.size();
  bytes_.clear();
  if (left_steps_ > 0) begin_to_note();
}

/// At all, if they may have been the most; else at those that others were sent beside, and which may be under
/// way still.
void RingUnderWay::look_at_noted(std::size_t rank) {
  const std::size_t steps = bytes_.size();
  const auto sent_s = [&](std::size_t step) { return noted_sent_s_[step * ranks_ + rank]; };
  const auto arrival_s = [&](std::size_t step) { return noted_arrivals_s_[step * ranks_ + rank]; };
  const auto bytes = [&](std::size_t step) { return bytes_[step][rank]; };
  double most_bytes = most_bytes_[rank];
  for (std::size_t step = 0; most_bytes < alike_->most_bytes && step < steps; ++step)
    most_bytes = std::max(most_bytes, bytes(step));
  since_s_[rank] = sent_s(steps - 1);
  std::size_t first = may_be_most_[rank] != 0 ? 0 : steps - 1;
  while (first > 0 && is_under_way(arrival_s(first - 1), since_s_[rank])) --first;
  is_behind_others_[rank] = first == 0 && is_under_way(last_arrival_s_[rank], since_s_[rank]);
  if (first + 1 < steps || is_behind_others_[rank]) {
    Several& several = several_[rank];
    begin_several(rank);
    for (std::size_t step = first; step < steps; ++step) {
      several.end_arrived(sent_s(step));
      several.send(arrival_s(step), bytes(step));
      if (may_be_most_[rank] != 0) most_bytes = std::max(most_bytes, several.bytes);
    }
    several.when_sent = sent_[rank] + static_cast<std::int64_t>(steps);
  }
  sent_[rank] += static_cast<std::int64_t>(steps);
  last_arrival_s_[rank] = std::max(last_arrival_s_[rank], arrival_s(steps - 1));
  last_bytes_[rank] = bytes(steps - 1);
  most_bytes_[rank] = most_bytes;
}

/// Nearly always, what a rank has sent before has arrived when it sends again.
void RingUnderWay::look_at_step(const double* __restrict bytes) {
  const double* __restrict sent_s = sent_s_;
  const double* __restrict arrival = arrival_s_;
  double* __restrict last_arrival = last_arrival_s_.data();
  double* __restrict last_bytes = last_bytes_.data();
  double* __restrict most = most_bytes_.data();
  std::int64_t* __restrict sent = sent_.data();
  std::size_t beside_others = 0;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    beside_others_[beside_others] = rank;
    beside_others += is_under_way(last_arrival[rank], sent_s[rank]) && bytes[rank] > 0;
  }
  for (std::size_t i = 0; i < beside_others; ++i)
    send_beside_others(beside_others_[i], bytes[beside_others_[i]]);
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const bool is_sent = bytes[rank] > 0;
    const double arrival_s = is_sent ? arrival[rank] : last_arrival[rank];
    last_arrival[rank] = arrival_s > last_arrival[rank] ? arrival_s : last_arrival[rank];
    last_bytes[rank] = is_sent ? bytes[rank] : last_bytes[rank];
    most[rank] = bytes[rank] > most[rank] ? bytes[rank] : most[rank];
    sent[rank] += is_sent;
  }
}

void RingUnderWay::send_beside_others(std::size_t rank, double bytes) {
  Several& several = several_[rank];
  begin_several(rank);
  several.end_arrived(sent_s_[rank]);
  several.send(arrival_s_[rank], bytes);
  several.when_sent = sent_[rank] + 1;
  most_bytes_[rank] = std::max(most_bytes_[rank], several.bytes);
}

/// Before others, only the last message may have been under way, if no more are known.
void RingUnderWay::begin_several(std::size_t rank) {
  Several& several = several_[rank];
  if (several.when_sent == sent_[rank]) return;
  several.messages.clear();
  several.bytes = 0;
  several.send(last_arrival_s_[rank], last_bytes_[rank]);
}

void RingUnderWay::Several::send(double arrival_s, double more_bytes) {
  messages.push_back({arrival_s, more_bytes});
  std::ranges::push_heap(messages, std::greater<>(), &Message::arrival_s);
  bytes += more_bytes;
}

void RingUnderWay::Several::end_arrived(double now_s) {
  while (!messages.empty() && !is_under_way(messages.front().arrival_s, now_s)) {
    std::ranges::pop_heap(messages, std::greater<>(), &Message::arrival_s);
    bytes -= messages.back().bytes;
    messages.pop_back();
  }
}

}  // namespace starling
