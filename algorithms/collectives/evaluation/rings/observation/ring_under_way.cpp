#include "algorithms/collectives/evaluation/rings/observation/ring_under_way.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/simultaneous.hpp"

namespace starling {
namespace {

/// The first of `messages` messages that has not arrived at `now_s`; they arrive in order. A message that
/// arrives at the moment at which another one is sent does not count as in flight together with it.
std::int64_t first_under_way(const EvenTimes& arrival, std::int64_t messages, double now_s) {
  const double since_s = now_s * (1 + rounding_of_moments) - arrival.first_s;
  if (since_s < 0) return 0;
  const double last = static_cast<double>(messages - 1);
  return since_s < last * arrival.gap_s ? 1 + static_cast<std::int64_t>(since_s / arrival.gap_s) : messages;
}

}  // namespace

/// The number of these messages that are in flight at `now_s`.
std::int64_t RingUnderWay::Left::number_at(double now_s) const {
  return messages - first_under_way(arrival, messages, now_s);
}

void RingUnderWay::Left::end_arrived(double now_s) {
  const std::int64_t arrived = messages - number_at(now_s);
  arrival.first_s = arrival.of(arrived);
  messages -= arrived;
  have_begun = have_begun || arrived > 0;
}

/// Appends the other messages if their arrivals continue these at the same distance; returns false if they do
/// not. A single message that is left here can begin a new distance.
bool RingUnderWay::Left::append(const Left& other) {
  if (bytes != other.bytes) return false;
  const double gap_s = messages > 1         ? arrival.gap_s
                       : other.messages > 1 ? other.arrival.gap_s
                                            : other.arrival.first_s - arrival.first_s;
  const EvenTimes both{.first_s = arrival.first_s, .gap_s = gap_s};
  const std::int64_t all = messages + other.messages;
  if (!are_simultaneous(both.of(messages), other.arrival.first_s) ||
      !are_simultaneous(both.of(all - 1), other.arrival.of(other.messages - 1)))
    return false;
  have_begun = have_begun && messages > 1;
  arrival.gap_s = gap_s;
  messages = all;
  return true;
}

/// Records the bytes in flight when `message` of the train has just been sent. Returns the first message of
/// the train that is in flight then.
std::int64_t RingUnderWay::OfHop::note(const Train& train, double bytes, std::int64_t message) {
  const double now_s = train.ready.of(message);
  const std::int64_t first = first_under_way(train.arrival, message + 1, now_s);
  double under_way_bytes = static_cast<double>(message + 1 - first) * bytes;
  for (Left& of_others : left) {
    of_others.end_arrived(now_s);
    under_way_bytes += static_cast<double>(of_others.messages) * of_others.bytes;
  }
  std::erase_if(left, [](const Left& of_others) { return of_others.messages == 0; });
  most_bytes = std::max(most_bytes, under_way_bytes);
  return first;
}

/// The last message of the train that is sent before another train starts or ends arriving, or this one
/// begins to. Until then the number of messages in flight only grows or only falls, so its maximum is at
/// one end of this interval. Returns `message` itself if messages of another size are in flight.
std::int64_t RingUnderWay::OfHop::last_before_change(const Train& train, double bytes,
                                                     std::int64_t message) const {
  if (train.ready.gap_s <= 0) return message;
  double until_s = train.arrival.first_s > train.ready.of(message) || left.empty() ? train.arrival.first_s
                                                                                   : left.front().changes_s();
  for (const Left& of_others : left) {
    if (of_others.bytes != bytes) return message;
    until_s = std::min(until_s, of_others.changes_s());
  }
  const double gaps = std::floor((until_s - train.ready.first_s) / train.ready.gap_s);
  return std::max(message,
                  static_cast<std::int64_t>(std::clamp(gaps, 0.0, static_cast<double>(train.messages - 1))));
}

void RingUnderWay::send(std::size_t rank, const Train& train, double bytes) {
  OfHop& hop = hops_[rank];
  const std::int64_t last = train.messages - 1;
  std::int64_t first = hop.note(train, bytes, 0);
  std::int64_t message = 1;
  for (; message < last && !hop.left.empty(); ++message) {
    message = hop.last_before_change(train, bytes, message);
    hop.note(train, bytes, message);
  }
  if (message < last) hop.note(train, bytes, hop.last_before_change(train, bytes, message));
  if (last > 0) first = hop.note(train, bytes, last);
  const Left own{.arrival = {.first_s = train.arrival.of(first), .gap_s = train.arrival.gap_s},
                 .messages = train.messages - first,
                 .bytes = bytes,
                 .have_begun = first > 0};
  if (hop.left.empty() || !hop.left.back().append(own)) hop.left.push_back(own);
}

bool RingUnderWay::may_be_most(std::size_t rank, double begin_s, double bytes) const {
  for (const Left& left : hops_[rank].left)
    bytes += static_cast<double>(left.number_at(begin_s)) * left.bytes;
  return bytes > hops_[rank].most_bytes;
}

}  // namespace starling
