#include "algorithms/collectives/evaluation/rings/observation/ring_under_way.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/random.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

struct SentOnce {
  double sent_s;
  double arrival_s;
  double bytes;
};

/// The most bytes of a hop that are under way at once, counted message by message.
double most_under_way(const std::vector<SentOnce>& messages) {
  double most_bytes = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    double bytes = messages[i].bytes;
    for (std::size_t before = 0; before < i; ++before)
      if (messages[before].arrival_s > messages[i].sent_s) bytes += messages[before].bytes;
    most_bytes = std::max(most_bytes, bytes);
  }
  return most_bytes;
}

/// Sends random trains on a hop, one after the other: faster than the hop, as fast, or slower. Messages
/// arrive in order, except that small ones pass others. No two things happen at the same moment.
class SendingHop {
 public:
  explicit SendingHop(std::uint64_t seed) : random_(seed, Purpose::schedule) {}

  void send_train() {
    const bool passes = below(5) == 0;
    const double bytes = passes ? 1e3 : 40e3 + (below(3) == 0 ? 1e3 : 0);
    const double takes_s = bytes * 1e-9;
    Train train{.messages = 1 + static_cast<std::int64_t>(below(12)), .passes = passes};
    train.ready = {.first_s = last_s_ + takes_s * 3 * uniform(), .gap_s = takes_s * 3 * uniform()};
    last_s_ = train.ready.of(train.messages - 1);
    train.arrival = {.first_s = train.ready.first_s + takes_s + 100e-6 * uniform(),
                     .gap_s = passes ? train.ready.gap_s : takes_s * (1 + uniform())};
    const double gaps = static_cast<double>(train.messages - 1);
    train.arrival.first_s = std::max(train.arrival.first_s, last_s_ + takes_s - gaps * train.arrival.gap_s);
    if (!passes) {
      train.arrival.first_s = std::max(train.arrival.first_s, last_arrival_s_ + takes_s);
      last_arrival_s_ = train.arrival.of(train.messages - 1);
    }
    for (std::int64_t i = 0; i < train.messages; ++i)
      messages_.push_back({train.ready.of(i), train.arrival.of(i), bytes});
    under_way_.send(0, train, bytes);
  }

  double most_bytes() const { return under_way_.most_bytes(0); }
  const std::vector<SentOnce>& messages() const { return messages_; }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound, 0, counter_++); }
  double uniform() { return random_.uniform(1, counter_++); }

  CounterRandom random_;
  std::uint64_t counter_ = 0;
  double last_s_ = 1e-3;
  double last_arrival_s_ = 0;
  std::vector<SentOnce> messages_;
  RingUnderWay under_way_{1};
};

TEST_CASE("The most bytes that trains have under way are those of their messages counted one by one") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    SendingHop hop(seed);
    for (int train = 0; train < 12; ++train) {
      hop.send_train();
      CHECK(hop.most_bytes() == about(most_under_way(hop.messages()), 1e-12));
    }
  }
}

TEST_CASE("The last message of a train may still be under way when a train with the same gaps follows") {
  RingUnderWay under_way(1);
  const auto send = [&](std::int64_t messages, const EvenTimes& ready, const EvenTimes& arrival) {
    under_way.send(0, {.messages = messages, .ready = ready, .arrival = arrival}, 100);
  };
  send(2, {.first_s = 1, .gap_s = 1}, {.first_s = 10, .gap_s = 5});
  send(3, {.first_s = 11, .gap_s = 0.1}, {.first_s = 16, .gap_s = 1});
  CHECK(under_way.most_bytes(0) == 400);
  // The second one is sent before anything more arrives, and before the third one two do.
  send(3, {.first_s = 13, .gap_s = 1.9}, {.first_s = 20, .gap_s = 1});
  CHECK(under_way.most_bytes(0) == 600);
}

TEST_CASE("The most bytes are under way just before messages begin to arrive faster than others are sent") {
  const auto most_bytes = [](const std::vector<Train>& trains) {
    RingUnderWay under_way(1);
    for (const Train& train : trains) under_way.send(0, train, 100);
    return under_way.most_bytes(0);
  };
  const Train three{3, 0, false, {1, 1}, {}, {10, 1}};
  const Train two{2, 0, false, {4, 1}, {}, {13, 1}};  // follows the three with the same gaps
  const Train after{6, 0, false, {6, 1.5}, {}, {30, 1.5}};
  CHECK(most_bytes({three, two, after}) == 800);  // at 9, before one of them arrives at 10
  const Train alone{1, 0, false, {1}, {}, {100}};
  const Train passing{6, 0, true, {2, 2}, {}, {7.5, 1.1}};
  CHECK(most_bytes({alone, passing}) == 400);  // at 6, before the first that passes arrives
}

TEST_CASE("A message not sent yet may raise the most under way only together with earlier messages") {
  RingUnderWay under_way(1);
  const double bytes = 100;
  under_way.send(0, {.messages = 2, .ready = {.first_s = 1}, .arrival = {.first_s = 3, .gap_s = 1}}, bytes);
  CHECK(under_way.most_bytes(0) == 200);
  const auto may_be_most = [&](double begin_s, double more_bytes) {
    return under_way.may_be_most(0, begin_s, more_bytes);
  };
  CHECK(may_be_most(2, 1));
  CHECK_FALSE(may_be_most(5, 200));
  CHECK(may_be_most(5, 201));
}

}  // namespace
}  // namespace starling
