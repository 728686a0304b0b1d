#include "algorithms/collectives/evaluation/rings/observation/ring_trains.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/ring_record.hpp"
#include "base/numbers/simultaneous.hpp"
#include "evaluated_rings.hpp"

namespace starling {
namespace {

struct SentMessage {
  std::size_t size;
  double ready_s;
  double arrival_s;
};
/// The messages of each rank in order.
using SentMessages = std::vector<std::vector<SentMessage>>;

SentMessages step_by_step(const RingEvaluator& rings, const EvaluatedRing& ring) {
  const std::size_t ranks = ring.before.size();
  SentMessages all(ranks);
  std::vector<double> ready_s(ranks);
  std::vector<double> free_s(ranks);
  std::vector<double> arrival_s(ranks);
  RingReplay replay(rings.hops(), rings.network(), ring, ring.first_step, ring.before);
  for (int step = ring.first_step; step < ring.end_step; ++step) {
    replay.step([&](const auto& each) { each.note_sent({ready_s.data(), free_s.data(), arrival_s.data()}); });
    replay.for_each_sender([&](std::size_t rank, std::size_t size) {
      all[rank].push_back({size, ready_s[rank], arrival_s[rank]});
    });
  }
  return all;
}

struct OfTrains {
  SentMessages messages;
  std::int64_t trains = 0;
};

OfTrains by_trains(const RingEvaluator& rings, const EvaluatedRing& ring) {
  OfTrains all{.messages = SentMessages(ring.before.size())};
  RingTrains(rings).go_through(ring, [&](std::size_t rank, const Train& train) {
    ++all.trains;
    for (std::int64_t i = 0; i < train.messages; ++i)
      all.messages[rank].push_back({train.size, train.ready.of(i), train.arrival.of(i)});
  });
  return all;
}

bool is_same_message(const SentMessage& one, const SentMessage& other) {
  return one.size == other.size && are_simultaneous(one.ready_s, other.ready_s) &&
         are_simultaneous(one.arrival_s, other.arrival_s);
}

std::size_t number_of(const SentMessages& messages) {
  std::size_t number = 0;
  for (const auto& of_rank : messages) number += of_rank.size();
  return number;
}

TEST_CASE("Trains of a ring hold the same messages as its steps") {
  for_each_evaluated_ring(
      {{2, 1}, {5, 1}, {48, 1}, {300, 1}, {300, 1, 1}, {40, 4}, {160, 4}, {280, 8}, {385, 2}},
      [](int workers) {
        return std::vector{std::int64_t{workers} * 100'000, std::int64_t{1'000'007},
                           std::int64_t{workers} * 10 + 3, std::int64_t{17}};
      },
      [](const RingCase& of, const RingEvaluator& rings) {
        const SentMessages expected = step_by_step(rings, rings.last());
        const OfTrains found = by_trains(rings, rings.last());
        CHECK(std::ranges::equal(expected, found.messages, [](const auto& one, const auto& other) {
          return std::ranges::equal(one, other, is_same_message);
        }));
        if (of.workers == 300 && of.count >= of.workers && of.spread_s == 0)
          CHECK(found.trains * 20 < static_cast<std::int64_t>(number_of(expected)));
      });
}

}  // namespace
}  // namespace starling
